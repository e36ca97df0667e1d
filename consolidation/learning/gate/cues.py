"""Wordings that the gate knows by themselves, in several languages (pure).

Every pattern is linear: no repetition inside a repetition, and each gap between two words bounded.
"""

import re

from ranking.tokens import fold

UTTERANCE_END = re.compile(r"[.!?;\n\u3002\u061f]+")
WRAPPING = " \t\r\"'*_-\u2013\u2014\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d(),:"
POLITE = (
    r"(?:(?:actually|please|ok|okay|wait|sorry|and|but|also|hey|bitte|eigentlich|en fait"
    r"|s'il te plaît|s'il vous plaît|por favor|per favore|на самом деле|пожалуйста)[ ,:]+){0,3}"
)
# An utterance that begins so asks about the memory itself. In the midst of one the words mean less:
# "I don't remember the details" is no request.
MEMORY_CONTROL = re.compile(
    POLITE + r"(?:"
    r"(?:(?:can|could|would|will) you (?:please )?)?(?:do not|don't|dont|not) "
    r"(?:save|store|remember|record|memori[sz]e|log|write down) "
    r"(?:this|that|these|those|it|any|anything|everything|all|what i|my)\b"
    r"|(?:do not|don't|dont) keep (?:this|that|any|a record|notes|it (?:in|on)|it\Z)\b"
    r"|never (?:save|store|record) (?:this|that|it|any|anything)\b"
    r"|(?:(?:can|could|would|will) you (?:please )?)?forget (?:about )?"
    r"(?:this|that|it|everything|all|what i)\b"
    r"|(?:delete|erase|wipe|remove|clear) [^.!?]{0,40}?(?:from|your) memory\b"
    r"|(?:switch|go|change|turn|use|enter|start) (?:(?:to|into|on|the|an?|in) ){0,2}"
    r"(?:incognito|private mode)\b"
    r"|(?:this is |keep this |that's )?off the record\b"
    # German
    r"|(?:vergiss|vergesst|vergessen sie)(?: bitte)?,? (?:das|dies|es|alles|was ich)\b"
    r"|(?:speichere?|merke?|notiere?|behalte?)(?: sie)?(?: dir| sich)?(?: bitte)? "
    r"(?:nichts|(?:das|dies|es|davon)(?: \w{1,20}){0,3} nicht)\b"
    r"|(?:das |dies )?nicht (?:speichern|merken|behalten|notieren)\b"
    r"|(?:wechsle|wechsel|geh|gehe|schalte|nutze|benutze) [^.!?]{0,20}?"
    r"(?:inkognito|incognito|privaten? modus|privatmodus)"
    # French
    r"|n'enregistre[rz]? (?:pas|rien)\b|ne (?:pas )?l'enregistre[rz]?\b"
    r"|ne (?:retiens|retenez|garde[zr]?|sauvegarde[zr]?|mémorise[zr]?|conserve[zr]?) "
    r"(?:rien|pas (?:ça|cela|ceci|tout|ce))\b"
    r"|oublie[zr]? (?:ça|cela|ceci|tout|ce que)\b"
    r"|passe[zr]? en (?:mode )?(?:navigation )?(?:privée?|incognito)\b"
    # Spanish
    r"|no (?:lo |la )?(?:guardes?|recuerdes?|grabes?|almacenes?|memorices?) "
    r"(?:esto|eso|nada|lo que|ninguna|esta)\b"
    r"|no (?:lo|la) (?:guardes?|recuerdes?|grabes?|almacenes?|memorices?)\b"
    r"|olvídalo\b|olvida(?:te de)? (?:esto|eso|todo|lo)\b|olvídate de (?:esto|eso|todo|lo)\b"
    r"|(?:cambia|pasa|usa|activa|entra) (?:(?:a|al|el|en) ){0,2}(?:modo )?(?:incógnito|modo privado)\b"
    # Portuguese
    r"|não (?:guarde|salve|grave|memorize|lembre|registre)s? (?:isso|isto|nada|disso)\b"
    r"|esque(?:ça|ce) (?:isso|isto|tudo|o que)\b"
    r"|(?:mude|passe|entre) [^.!?]{0,15}?(?:modo )?(?:anônimo|incógnito|modo privado)\b"
    # Italian
    r"|non (?:salvare|ricordare|memorizzare|registrare|conservare)(?:lo\b| (?:questo|quello|niente|nulla|ciò)\b)"
    r"|dimentica(?:lo\b| (?:questo|quello|tutto|ciò)\b)"
    r"|(?:passa|vai) [^.!?]{0,15}?(?:in incognito|modalità (?:privata|incognito))\b"
    # Russian
    r"|не (?:сохраняй|запоминай|записывай|храни)(?:те)?\b"
    r"|забудь(?:те)? (?:это|всё|все|об этом|то, что|что я)\b"  # noqa: RUF001
    r"|(?:перейди|переключись|включи)(?:те)? [^.!?]{0,20}?(?:инкогнито|приватн)"
    # Chinese, Japanese, Korean
    r"|(?:请|請)?(?:不要|别|別)(?:保存|记住|記住|记录|記錄|记下|記下)"
    r"|(?:请|請)?(?:忘记|忘記|忘掉|忘了)(?:这|這|那|它|所有|一切|全部|我说|我說)"
    r"|(?:切换|切換|进入|進入|使用|打开|打開)到?(?:无痕|無痕|隐身|隱身|隐私|私密)"
    r"|(?:これ|それ|今の話|この話|その話|今の|今言ったこと)(?:は|を|も)?(?:全部)?"
    r"(?:保存しないで|記録しないで|記憶しないで|覚えないで|忘れて)"
    r"|(?:シークレット|プライベート)モード"
    r"|(?:이거|이건|그거|그건|이것|그것)[^.!?]{0,10}?(?:저장하지 마|기억하지 마|잊어)"
    r")"
)
TURN_SCOPED = re.compile(
    r"\b(?:for now|for the moment|at the moment|right now|just now|just this once"
    r"|this (?:reply|answer|response|once)|this time(?! (?:next|last|of))"
    r"|for this (?:message|question|one)|(?:just|only) (?:for )?today|for today only"
    r"|(?:only|just) (?:for |in )?this (?:session|conversation|chat)"
    r"|vorerst|fürs erste|diesmal|dieses mal|nur (?:heute|jetzt|für heute|für diese)"
    r"|gerade (?:jetzt|eben)|im moment|für diese antwort"
    r"|pour (?:l'instant|le moment)|cette fois|(?:juste|seulement) (?:aujourd'hui|pour cette)"
    r"|en ce moment|dans cette réponse"
    r"|por ahora|de momento|por el momento|esta vez|(?:solo|sólo|solamente) (?:por )?(?:hoy|esta)"
    r"|ahora mismo|en esta respuesta"
    r"|por enquanto|desta vez|dessa vez|só (?:por )?hoje|neste momento|nesta resposta"
    r"|per ora|per adesso|per il momento|questa volta|stavolta|solo (?:per )?oggi|in questo momento"
    r"|пока что|на этот раз|в этот раз|прямо сейчас|только сегодня|в этом ответе)\b"
    r"|暂时|暫時|这次|這次|这一次|這一次|仅今天|只是今天|就今天|今回|今日だけ|とりあえず|今だけ|이번만|지금만"
)
DURABLE = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|next time|always|usually|every time|whenever"
    r"|please keep|remember|for me when|never again"
    r"|von (?:jetzt|nun) an|ab (?:jetzt|sofort)|in zukunft|zukünftig|künftig|nächstes mal|immer"
    r"|meistens|normalerweise|gewöhnlich|merk dir|denk daran"
    r"|désormais|dorénavant|à partir de maintenant|à l'avenir|la prochaine fois|toujours|d'habitude"
    r"|habituellement|souviens-toi|rappelle-toi|retiens"
    r"|de ahora en adelante|a partir de ahora|en (?:el )?futuro|la próxima vez|siempre|normalmente"
    r"|habitualmente|suelo|recuerda"
    r"|de agora em diante|a partir de agora|no futuro|da próxima vez|sempre|geralmente|costumo|lembre"
    r"|d'ora in poi|da ora in poi|in futuro|la prossima volta|di solito|ricorda|ricordati"
    r"|отныне|с этого момента|впредь|в будущем|в следующий раз|всегда|обычно|запомни)\b"  # noqa: RUF001
    r"|从现在起|從現在起|今后|今後|以后|以後|下次|总是|總是|通常|一直|记住|記住|これから|次回|いつも|普段|覚えて|앞으로|항상"
)
NEGATIVE_LABEL = re.compile(
    r"\b(?:incompetent|failure|worthless|useless|unlovable|broken|(?:not|never) (?:\w{1,10} )?good enough"
    r"|stupid|an idiot|a loser|pathetic|a burden|a fraud|inadequate|hate myself"
    r"|unfähig|versager(?:in)?|wertlos|nutzlos|nicht liebenswert|kaputt|nicht gut genug"
    r"|incapable|ratée?|un échec|sans valeur|nulle?|inutile|brisée?|pas assez (?:bien|bonne?)"
    r"|incompetente|un fracaso|fracasad[oa]|inútil|no valgo|rot[oa]|no soy (?:lo )?suficiente"
    r"|um fracasso|sem valor|quebrad[oa]|não sou (?:bom|boa) o"
    r"|incapace|un fallimento|fallit[oa]|senza valore|non (?:sono )?abbastanza"
    r"|неудачни(?:к|ца)|никч[её]мн(?:ый|ая)|бесполезн(?:ый|ая)|ничтожество|недостаточно хорош)\b"
    r"|没用|沒用|废物|廢物|失败者|失敗者|不够好|不夠好|一文不值|无能|無能|役立たず|ダメ人間|価値がない|出来損ない|쓸모없"
)
SELF_FRAME = re.compile(
    r"\b(?:i am|i'm|im|i was|i feel|i must be|i'll (?:always|never) be|makes? me|means (?:that )?i"
    r"|(?:tell|told|telling) myself|assum(?:e|ed|ing)|belief|believe i|think i|myself"
    r"|ich bin|bin ich|ich fühle mich|dass ich|sage mir|glaube,? ich|halte mich"
    r"|je suis|je me sens|je me dis|que je|soy|me siento|me digo|no valgo|creo que"
    r"|sou|me sinto|acho que|sono|mi sento|mi dico|credo di|я)\b"
    r"|我|私|僕|俺|自分|나는|내가"
)
HELP = (
    r"(?:hotline|helpline|crisis (?:line|resource|number|support|text)\w{0,5}|suicide line"
    r"|notruf(?:nummer)?|krisentelefon|hilfetelefon|numéro d'urgence|línea de (?:ayuda|crisis)"
    r"|телефон доверия)"
)
DANGER = r"(?:safety|safe|suicid\w{0,8}|self[- ]harm|hurting myself)"
SAFETY_CONFLICT = re.compile(
    r"\b(?:"
    r"(?:stop|quit|don't|do not|never|no more) (?:\w{1,12} ){0,2}?(?:ask|check|mention|bring|talk|worry)\w{0,4}\b"
    rf"[^.!?]{{0,40}}?\b{DANGER}\b"
    r"|(?:skip|ignore|bypass|disable|drop|avoid|omit|turn off|leave out) "
    r"(?:(?:all|any|the|those|your|my|every) ){0,2}(?:safety|suicide|crisis|self[- ]harm)\b"
    r"|(?:stop|quit|don't|do not|never) (?:\w{1,12} ){0,2}?"
    r"(?:giv|show|mention|send|offer|shar|suggest|tell|recommend|includ|list|provid)\w{0,4}\b"
    rf"[^.!?]{{0,40}}?\b{HELP}"
    rf"|(?:withhold|hide|omit|skip|leave out) [^.!?]{{0,30}}?\b{HELP}"
    r"|frage? (?:mich )?(?:nicht|nie)[^.!?]{0,30}?(?:sicher|suizid)"
    r"|(?:überspring|ignorier)e? [^.!?]{0,20}?sicherheit"
    rf"|nenne? (?:mir )?(?:nie|keine?)[^.!?]{{0,30}}?{HELP}"
    r"|ne (?:me )?demande[zs]? (?:pas|plus|jamais)[^.!?]{0,30}?(?:sécurité|suicid)"
    r"|(?:ignore|saute)[zr]? [^.!?]{0,20}?sécurité"
    r"|no (?:me )?preguntes [^.!?]{0,30}?(?:segur|suicid)|(?:ignora|omite|salta) [^.!?]{0,20}?seguridad"
    r"|не спрашивай(?:те)? [^.!?]{0,30}?(?:безопасн|суицид)"
    r")"
    r"|(?:不要|别|別)(?:再)?(?:问|問|提)[^.!?\u3002]{0,15}?(?:安全|自杀|自殺)|跳过安全|跳過安全|安全確認(?:は|を)?(?:しないで|省いて|スキップ)"
)
REMEMBER = re.compile(
    POLITE
    + r"(?:(?:always|immer|toujours|siempre|sempre|всегда) )?(?:remember|note|keep in mind|don't forget|do not forget|merk dir|denk daran"
    r"|vergiss nicht|souviens-toi|rappelle-toi|n'oublie pas|retiens|recuerda|no olvides|lembre(?:-se)?"
    r"|não esqueça|ricorda(?:ti)?|non dimenticare|запомни|помни)\b(?! to\b)"
    r"|(?:请|請)?(?:记住|記住)"
)
# A verb that tells the assistant how to speak, or a word for how it does.
ASSISTANT_FACING = re.compile(
    r"\b(?:answer|answers|answering|reply|replies|respond|responses?|write|speak|talk to me|explain"
    r"|explanations?|summari[sz]e|translate|format|address me|call me|greet|ask me|remind me|tell me"
    r"|give me|show me|avoid|emojis?|bullets?|tone|you|your|(?<!i )(?<!we )use"
    r"|antworte?|antworten|schreib|schreibe|sprich|erklär|erkläre|nenn mich|du|benutze|verwende"
    r"|réponds|réponses?|écris|parle|explique|appelle-moi|tu|utilise|évite"
    r"|responde|respuestas?|escribe|habla|explica|llámame|usa|evita|rispondi|scrivi|parla|spiega"
    r"|отвечай|пиши|говори|объясняй|называй)\b"
    r"|回答|回复|回覆|用中文|叫我|答えて|書いて|話して"
)
# How someone likes to be answered, said as a thing they like.
AGENT_FACING = re.compile(
    r"\b(?:answers|replies|responses|explanations|when you|if you|your (?:answers?|replies|tone|style)"
    r"|antworten|erklärungen|wenn du|wenn sie mir|deine (?:antworten|art)"
    r"|réponses|explications|quand tu|quand vous|que tu (?:me )?(?:répondes|expliques)"
    r"|respuestas|explicaciones|cuando (?:me )?(?:explicas|respondes|hablas)|que me (?:respondas|expliques)"
    r"|respostas|explicações|quando você|risposte|spiegazioni|quando mi (?:rispondi|spieghi)"
    r"|ответы|объяснения|когда ты)\b"
    r"|你(?:的)?(?:回答|回复|解释)|简短的回答|答え方|短い答え|返事"
)


def is_memory_control(text: str) -> bool:
    """Say whether an utterance in a text begins with a request about the memory itself."""
    return any(MEMORY_CONTROL.match(utterance) for utterance in _utterances(text))


def is_turn_scoped(text: str) -> bool:
    """Say whether a text is about the moment, and nothing in it says that it lasts."""
    plain = _plain(text)
    return TURN_SCOPED.search(plain) is not None and DURABLE.search(plain) is None


def is_negative_self_belief(text: str) -> bool:
    """Say whether an utterance puts a negative label on the one who speaks."""
    return any(
        NEGATIVE_LABEL.search(utterance) and SELF_FRAME.search(utterance)
        for utterance in _utterances(text)
    )


def is_safety_conflict(text: str) -> bool:
    """Say whether a text asks to keep help from someone in danger."""
    return SAFETY_CONFLICT.search(_plain(text)) is not None


def is_agent_facing(text: str) -> bool:
    """Say whether a text is about the way the assistant answers."""
    return AGENT_FACING.search(_plain(text)) is not None


def is_fact_shaped(texts: tuple[str, ...]) -> bool:
    """Say whether texts only ask to remember something, and none says how to answer."""
    asks = any(REMEMBER.match(one) for text in texts for one in _utterances(text))
    return asks and not any(ASSISTANT_FACING.search(_plain(text)) for text in texts)


def _utterances(text: str) -> list[str]:
    return [one.strip(WRAPPING) for one in UTTERANCE_END.split(_plain(text))]


def _plain(text: str) -> str:
    return fold(text).replace("\u2019", "'")
