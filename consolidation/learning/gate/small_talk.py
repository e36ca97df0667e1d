"""What is said without saying anything (pure)."""

import re

from ranking.tokens import DENSE, RUN, fold

SMALL_TALK_CHARACTERS = 40
# What a turn of small talk, or of trying the system out, is made of.
TALK = """
    hi hello hey hiya yo howdy greetings good morning afternoon evening night day bye goodbye cya see
    you later soon tomorrow take care thanks thank ty thx cheers please welcome sorry ok okay k kk
    yes yeah yep yup no nope nah sure fine great nice cool awesome perfect lovely wow oh ah hm hmm
    lol haha hehe alright right got it understood all how are is it's going doing what's whats up
    that's so much very well too and u i i'm im am not bad a an lot the there again test testing
    tests ping one two three 1 2 3 123 working works work does this do hear me
    hallo hej moin servus guten morgen tag abend nacht tschüss danke dankeschön vielen bitte ja nein
    doch gut super prima alles klar wie geht's gehts es dir bis bald später
    hola buenos buenas días dias tardes noches adiós adios gracias muchas por favor sí si vale bien
    qué que tal cómo como estás estas hasta luego
    bonjour bonsoir salut merci beaucoup s'il vous te plaît plait oui non d'accord bien ça ca va
    au revoir à bientôt
    ciao buongiorno buonasera grazie mille prego sì bene va olá ola obrigado obrigada tudo bem sim
    não
    привет здравствуйте здравствуй добрый день вечер утро доброе спасибо большое пожалуйста да нет
    хорошо ладно пока до свидания как дела ок тест
"""
WORDS = frozenset(TALK.split())
DENSE_PHRASES = re.compile(
    "(?:你好|您好|早上好|晚上好|晚安|谢谢|謝謝|谢谢你|再见|再見|好的|好|是的|是|嗯|哈|测试|在吗|吗|啊|吧|了"
    "|こんにちは|こんばんは|おはよう|ございます|ありがとう|ありがと|どうも|さようなら|はい|いいえ|うん|ええ|テスト|です|ね|よ"
    "|안녕하세요|안녕|감사합니다|고마워요|고마워|네|아니요|응|테스트|요)+"
)
IS_DENSE = re.compile(f"[{DENSE}]")
COMMAND = re.compile(r"/\w+")


def is_small_talk(text: str) -> bool:
    """Say whether a turn is short, and made of greetings, thanks, noises and tests alone."""
    if COMMAND.fullmatch(text.strip()):
        return True
    runs = RUN.findall(fold(text).replace("\u2019", "'"))
    return len(text.strip()) <= SMALL_TALK_CHARACTERS and all(map(_says_nothing, runs))


def _says_nothing(run: str) -> bool:
    return bool(DENSE_PHRASES.fullmatch(run)) if IS_DENSE.match(run) else run in WORDS
