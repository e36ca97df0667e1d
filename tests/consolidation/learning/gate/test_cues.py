"""What the gate knows by its wording, and what only looks like it."""

import time

import pytest

from consolidation.learning.gate import cues

CONTROLS = [
    "Don't save this.",
    "do not remember that please",
    "Please don’t store any of this",
    "Do not save any of that",
    "Actually, forget that.",
    "Forget everything I told you",
    "forget what I said",
    "Use incognito",
    "switch to incognito mode",
    "Go to private mode",
    "Could you please forget that?",
    "My boss is ill. Don't save that.",
    "OK, delete all that from your memory",
    "This is off the record.",
    "Don't keep it in your notes",
    "Vergiss das bitte.",
    "Speichere das bitte nicht",
    "Merk dir nichts davon",
    "Wechsle in den Inkognito-Modus",
    "Oublie ça",
    "N'enregistre pas ce que je dis",
    "Ne garde rien",
    "Passe en navigation privée",
    "No guardes esto",
    "Olvídalo",
    "Cambia al modo incógnito",
    "Não guarde isso",
    "Esqueça isso",
    "Dimentica tutto",
    "Non salvare questo",
    "Не запоминай это",
    "Забудь об этом",
    "不要保存这个",
    "請忘記我說的話",
    "これは覚えないで",
    "이건 저장하지 마",
]
NO_CONTROLS = [
    "I don't remember the details.",
    "I told him to forget that",
    "My boss said: don't save this.",
    "We forgot everything at home",
    "I never save money",
    "Forget-me-nots are my favourite flowers",
    "Don't keep it too long",
    "Remember that my sister is called Ana",
    "She asked me not to remember that",
    "Ich vergesse das immer",
    "J'oublie tout",
    "Nunca olvido nada",
    "Я всё забываю",
    "我忘记了这个",
    "",
]


@pytest.mark.parametrize("text", CONTROLS)
def test_an_utterance_that_begins_with_it_controls_the_memory(text):
    assert cues.is_memory_control(text)


@pytest.mark.parametrize("text", NO_CONTROLS)
def test_the_same_words_elsewhere_control_nothing(text):
    assert not cues.is_memory_control(text)


@pytest.mark.parametrize(
    "text",
    [
        "For now I live with my aunt",
        "Keep this reply short",
        "Be brief this time",
        "I am tired right now",
        "just today I want tea",
        "only this session, please",
        "Antworte diesmal kurz",
        "Pour l'instant j'habite à Lyon",
        "Por ahora vivo en Lima",
        "Por enquanto moro aqui",
        "Per ora vivo qui",
        "Прямо сейчас я устал",
        "这次简短一点",
        "今回は短くして",
    ],
)
def test_the_moment_is_turn_scoped(text):
    assert cues.is_turn_scoped(text)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lyon",
        "This time next year I want to run a marathon",
        "Right now and from now on, answer briefly",
        "I always drink tea at the moment I wake up",
        "For now and in the future, use metric units",
        "Ab jetzt antworte kurz, nicht nur heute",
        "从现在起这次以后都简短",
    ],
)
def test_what_lasts_is_not(text):
    assert not cues.is_turn_scoped(text)


@pytest.mark.parametrize(
    "text",
    [
        "I am a failure",
        "I’m so incompetent at this",
        "I tell myself that I am worthless",
        "It means I am not good enough",
        "I feel useless",
        "Ich bin ein Versager",
        "Je suis nulle",
        "Soy un fracaso",
        "Sou um fracasso",
        "Sono un fallimento",
        "Я неудачник",
        "我是个废物",
        "私は役立たずだ",
    ],
)
def test_a_label_on_oneself_is_a_negative_self_belief(text):
    assert cues.is_negative_self_belief(text)


@pytest.mark.parametrize(
    "text",
    [
        "My boss is incompetent",
        "The meeting was a failure",
        "I am happy. The printer is useless.",
        "I am a nurse",
        "Mein Drucker ist kaputt",
        "他是废物",
    ],
)
def test_a_label_on_something_else_is_none(text):
    assert not cues.is_negative_self_belief(text)


@pytest.mark.parametrize(
    "text",
    [
        "Stop asking me about my safety",
        "Please skip the safety check",
        "ignore all safety questions",
        "Never mention the hotline number to me",
        "Don't give me crisis resources",
        "Withhold the crisis line",
        "Do not ask whether I am safe",
        "Frag mich nicht, ob ich in Sicherheit bin",
        "Ignoriere die Sicherheitsfragen",
        "Ne me demande plus si je pense au suicide",
        "No me preguntes por mi seguridad",
        "Не спрашивай о безопасности",
        "不要问我安全的事",
    ],
)
def test_keeping_help_away_is_a_safety_conflict(text):
    assert cues.is_safety_conflict(text)


@pytest.mark.parametrize(
    "text",
    [
        "I work in workplace safety",
        "I don't have the number of the hotline",
        "Ask me about safety every morning",
        "Skip the introduction",
        "I want a safe car",
    ],
)
def test_speaking_of_safety_is_none(text):
    assert not cues.is_safety_conflict(text)


@pytest.mark.parametrize(
    "texts",
    [
        ("Remember that my sister is called Ana.",),
        ("The user has a cat.", "Please remember I have a cat"),
        ("Merk dir, dass ich in Köln wohne",),
        ("Recuerda que vivo en Lima",),
        ("Souviens-toi que j'ai un chat",),
        ("记住我住在上海",),
        ("Remember that I use a wheelchair",),
        ("Always remember that I have two cats.",),
    ],
)
def test_a_wish_to_remember_is_fact_shaped(texts):
    assert cues.is_fact_shaped(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("Answer briefly.", "Remember to answer briefly"),
        ("Remember that you should answer in German",),
        ("Use metric units.", "From now on use metric units"),
        ("Recuerda que prefiero respuestas breves",),
    ],
)
def test_a_wish_about_answers_is_not(texts):
    assert not cues.is_fact_shaped(texts)


@pytest.mark.parametrize(
    "piece",
    ["don't ", "please ", "forget about ", "stop asking ", "i am ", "не ", "これ", "' ", "."],
)
def test_hostile_length_costs_no_time(piece):
    text = piece * (60_000 // len(piece))
    start = time.process_time()

    for is_it in (
        cues.is_memory_control,
        cues.is_turn_scoped,
        cues.is_negative_self_belief,
        cues.is_safety_conflict,
    ):
        is_it(text)
    cues.is_fact_shaped((text,))

    assert time.process_time() - start < 3
