"""The words of time in six languages, each with its class, one character, and its value.

The grammar is written over the classes, so that a language is added as a table:

D a span by itself        M month       m the name of a person, too   y a verb, too
W weekday   X the same, in a language that needs no preposition      S season   H holiday
G the same, by itself     P part of the day    Q quarter   q `quarter`  B weekend  U unit  J year
N number    d day number  O ordinal  I ordinal in words  Y year  R range of days
l last      t this        n next     a ago, after          v ago, before
i in        j on, at     h for       o the, of  e and, to  b between  r from
f before    g after       s since    u until    A in, or to  E a part of
x every     K names a number, not a time    k small word   w word   z plural   c name
L seasons   V possessive   Z decade   F day and month   T full stop   C comma   p other mark
"""

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ranking.periods import spans


class Entry(NamedTuple):
    rest: tuple[str, ...]
    kind: str
    value: object


MORNING, AFTERNOON, EVENING, NIGHT = (5, 12), (12, 18), (18, 24), (18, 30)
FEW, SEVERAL = (2, 5), (3, 7)
EARLY, MID, LATE, FIRST_HALF, SECOND_HALF = (3, 0, 1), (3, 1, 2), (3, 2, 3), (2, 0, 1), (2, 1, 2)
CHRISTMAS, CHRISTMAS_EVE, NEW_YEAR = spans.days(12, 24, 3), spans.days(12, 24), spans.days(1, 1)
CHRISTMAS_DAY, NEW_YEARS_EVE = spans.days(12, 25), spans.days(12, 31)
HALLOWEEN, VALENTINE, ALL_SAINTS = spans.days(10, 31), spans.days(2, 14), spans.days(11, 1)
EASTER = spans.easter(-2, 4)
SPRING, SUMMER, AUTUMN, WINTER = (spans.months(first, 3) for first in (3, 6, 9, 12))

# Of each language: class to `phrase, phrase`, or to `{value: phrases}`. Months begin with January,
# weekdays with Monday, numbers with two; forms of one are parted by `/`.
TABLES: dict[str, dict[str, object]] = {
    "english": {
        "months": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug"
        " september/sept/sep october/oct november/nov december/dec",
        "m": "april june august jan mar apr jun jul aug sep oct nov dec",
        "y": "may march mar",
        "W": "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri"
        " saturday sunday",
        "numbers": "two three four five six seven eight nine ten eleven twelve",
        "N": {(1, 1): "one", (2, 2): "couple, couple of", FEW: "few", SEVERAL: "several"},
        "I": {1: "first", 2: "second", 3: "third", 4: "fourth"},
        "S": {SPRING: "spring", SUMMER: "summer", AUTUMN: "autumn, fall", WINTER: "winter"},
        "P": {
            MORNING: "morning",
            AFTERNOON: "afternoon",
            EVENING: "evening",
            NIGHT: "night",
        },
        "U": {
            "day": "day, night",
            "days": "days, nights",
            "week": "week",
            "weeks": "weeks",
            "month": "month",
            "months": "months",
            "hour": "hour, hours",
        },
        "B": {"weekend": "weekend, weekends"},
        "q": {"quarter": "quarter, quarters"},
        "J": {"year": "year, years"},
        "E": {
            EARLY: "early, the beginning of, beginning of, the start of, start of, early in",
            MID: "mid, middle of, the middle of",
            LATE: "late, the end of, end of, late in",
            FIRST_HALF: "the first half of, first half of",
            SECOND_HALF: "the second half of, second half of",
        },
        "H": {
            CHRISTMAS: "christmas, xmas, christmastime",
            NEW_YEAR: "new year, new years",
            EASTER: "easter",
            HALLOWEEN: "halloween",
            spans.thanksgiving: "thanksgiving",
        },
        "L": {
            SPRING: "springs",
            SUMMER: "summers",
            AUTUMN: "autumns, falls",
            WINTER: "winters",
            CHRISTMAS: "christmases",
        },
        "G": {
            CHRISTMAS_EVE: "christmas eve",
            CHRISTMAS_DAY: "christmas day",
            spans.days(12, 26): "boxing day",
            NEW_YEARS_EVE: "new year s eve, new years eve",
            NEW_YEAR: "new year s day, new years day, new year s",
            VALENTINE: "valentine s day, valentines day, valentine s",
            spans.days(3, 17): "st patrick s day, saint patrick s day",
            spans.days(4, 1): "april fools day, april fool s day, april fools",
            spans.days(5, 1): "may day",
            spans.days(7, 4): "fourth of july, independence day",
            spans.days(7, 14): "bastille day",
            spans.black_friday: "black friday",
            spans.easter(-2): "good friday",
            spans.easter(0): "easter sunday",
            spans.easter(1): "easter monday",
        },
        "D": {
            ("day", 0): "today, earlier today",
            ("day", -1): "yesterday",
            ("day", -2): "the day before yesterday, day before yesterday",
            ("day", 1): "tomorrow",
            ("day", 2): "the day after tomorrow, day after tomorrow",
            ("unit", "week", -2): "the week before last, week before last",
            ("unit", "month", -2): "the month before last, month before last",
            ("unit", "year", -2): "the year before last, year before last",
            ("unit", "weekend", -2): "the weekend before last, weekend before last",
            ("part", -1, NIGHT): "last night",
            ("part", 0, NIGHT): "tonight",
            ("part", -2, NIGHT): "the night before last, night before last",
            ("decade", 1960): "the sixties",
            ("decade", 1970): "the seventies",
            ("decade", 1980): "the eighties",
            ("decade", 1990): "the nineties",
            ("rolling", 30, 0.3): "recently, lately, these days",
            ("rolling", 7, 0.5): "recent days",
            ("rolling", 31, 0.5): "recent weeks",
            ("rolling", 124, 0.5): "recent months",
            ("between", 380, 351, 0.8): "this time last year",
            ("between", 214, 152, 0.5): "half a year ago",
            ("between", 14, 1, 0.5): "the other day",
        },
        "l": "last past previous",
        "t": "this",
        "n": "next upcoming coming following",
        "a": "ago, earlier, back",
        "i": "in, during, over, throughout, around, within, in the month of, in the year",
        "j": "on by at",
        "h": "for",
        "o": "the of a an",
        "e": "and to through or",
        "b": "between",
        "r": "from",
        "f": "before, prior to",
        "g": "after",
        "s": "since",
        "u": "until till by",
        "x": "every each any all most some",
        "K": "room version invoice order ticket number no id code case chapter page flight bus line"
        " mr mrs ms dr street square avenue road",
        "w": "christmas island, easter island, easter bunny, at last, at the latest,"
        " for the last time, the last of, next to, next of kin, new year s resolution,"
        " new year s resolutions, may be, may have, good morning, good evening,"
        " on the weekends, at weekends",
    },
    "german": {
        "months": "januar/janner/jan februar/feber/feb marz/maerz april/apr mai juni/jun juli/jul"
        " august/aug september/sept/sep oktober/okt november/nov dezember/dez",
        "m": "jan jun jul aug sep okt nov dez",
        "X": "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
        "numbers": "zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "N": {
            (1, 1): "ein, einem, einer, eine",
            (2, 2): "ein paar, paar, paar der",
            FEW: "einigen, wenigen, einige, wenige",
            SEVERAL: "mehreren, mehrere",
        },
        "I": {
            1: "erste, ersten, erstes",
            2: "zweite, zweiten, zweites",
            3: "dritte, dritten, drittes",
            4: "vierte, vierten, viertes",
        },
        "S": {
            SPRING: "fruhling, fruhjahr",
            SUMMER: "sommer",
            AUTUMN: "herbst",
            WINTER: "winter",
        },
        "P": {
            MORNING: "fruh, vormittag",
            AFTERNOON: "nachmittag",
            EVENING: "abend",
            NIGHT: "nacht",
        },
        "U": {
            "day": "tag",
            "days": "tage, tagen, nachte, nachten",
            "week": "woche",
            "weeks": "wochen",
            "month": "monat, monats",
            "months": "monate, monaten",
            "hour": "stunde, stunden",
        },
        "B": {"weekend": "wochenende, wochenenden"},
        "q": {"quarter": "quartal, quartale, quartalen, quartals"},
        "J": {"year": "jahr, jahre, jahren, jahres"},
        "E": {
            EARLY: "anfang, zu beginn",
            MID: "mitte",
            LATE: "ende",
            FIRST_HALF: "ersten halfte",
            SECOND_HALF: "zweiten halfte",
        },
        "H": {CHRISTMAS: "weihnachten", EASTER: "ostern", spans.easter(48, 3): "pfingsten"},
        "G": {
            CHRISTMAS_EVE: "heiligabend, heilig abend",
            NEW_YEARS_EVE: "silvester",
            NEW_YEAR: "neujahr",
            VALENTINE: "valentinstag",
            HALLOWEEN: "halloween",
            spans.days(12, 6): "nikolaus",
            spans.easter(-2): "karfreitag",
            spans.easter(0): "ostersonntag",
            spans.easter(1): "ostermontag",
        },
        "D": {
            ("day", 0): "heute",
            ("day", -1): "gestern",
            ("day", -2): "vorgestern",
            ("day", 1): "morgen",
            ("day", 2): "ubermorgen",
            ("part", 0, MORNING): "heute morgen, heute fruh",
            ("part", 0, NIGHT): "heute nacht",
            ("part", -1, MORNING): "gestern morgen, gestern fruh",
            ("part", -1, NIGHT): "letzte nacht",
            ("unit", "week", -2): "vorletzte woche, vorletzter woche",
            ("unit", "month", -2): "vorletzten monat",
            ("unit", "year", -2): "vorletztes jahr",
            ("between", 214, 152, 0.5): "vor einem halben jahr",
            ("rolling", 30, 0.3): "neulich, kurzlich, in letzter zeit",
        },
        "l": "letzte letzten letzter letztes letztem vergangene vergangenen vergangener"
        " vergangenes vergangenem vorige vorigen voriger voriges",
        "t": "diese diesen dieser dieses diesem",
        "n": "nachste nachsten nachster nachstes nachstem kommende kommenden kommender kommendes",
        "i": "im, in, um, uber, wahrend, im jahr, im jahre, im monat, den",
        "j": "am, an, zu, zum, vom, der",
        "o": "dem des das",
        "e": "und oder",
        "b": "zwischen",
        "r": "von",
        "v": "vor",
        "g": "nach",
        "s": "seit ab",
        "u": "bis, bis zum, bis zu, bis ende",
        "x": "jeden jede jedes jeder alle",
        "K": "version raum zimmer nummer nr rechnung bestellung seite kapitel herr herrn frau"
        " strasse platz allee",
        "w": "guten morgen, guten abend, gute nacht, am morgen, letzten endes, der letzte",
    },
    "french": {
        "months": "janvier/janv fevrier/fevr mars avril/avr mai juin juillet/juil aout"
        " septembre/sept octobre/oct novembre/nov decembre/dec",
        "m": "mars avril sept oct nov dec",
        "X": "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "numbers": "deux trois quatre cinq six sept huit neuf dix onze douze",
        "N": {(1, 1): "un, une", FEW: "quelques", SEVERAL: "plusieurs"},
        "I": {
            1: "premier, premiere",
            2: "deuxieme, second, seconde",
            3: "troisieme",
            4: "quatrieme",
        },
        "S": {SPRING: "printemps", SUMMER: "ete", AUTUMN: "automne", WINTER: "hiver"},
        "P": {
            MORNING: "matin",
            AFTERNOON: "apres midi",
            EVENING: "soir, soiree",
            NIGHT: "nuit",
        },
        "U": {
            "day": "jour",
            "days": "jours, nuits",
            "week": "semaine",
            "weeks": "semaines",
            "month": "mois",
            "hour": "heure, heures",
        },
        "B": {"weekend": "week end, weekend"},
        "q": {"quarter": "trimestre, trimestres"},
        "J": {"year": "an, ans, annee, annees"},
        "E": {
            EARLY: "debut, au debut de, le debut de, au debut du",
            MID: "mi, au milieu de",
            LATE: "fin, a la fin de, la fin de, a la fin du",
        },
        "H": {
            CHRISTMAS: "noel",
            EASTER: "paques",
            HALLOWEEN: "halloween",
            spans.easter(49): "pentecote",
        },
        "G": {
            CHRISTMAS_EVE: "la veille de noel, reveillon de noel",
            NEW_YEARS_EVE: "la saint sylvestre, reveillon du nouvel an",
            NEW_YEAR: "nouvel an, jour de l an",
            VALENTINE: "saint valentin",
            ALL_SAINTS: "toussaint",
            spans.days(7, 14): "fete nationale",
        },
        "D": {
            ("day", 0): "aujourd hui",
            ("day", -1): "hier",
            ("day", -2): "avant hier",
            ("day", 1): "demain",
            ("day", 2): "apres demain",
            ("part", 0, MORNING): "ce matin",
            ("part", 0, AFTERNOON): "cet apres midi",
            ("part", 0, EVENING): "ce soir",
            ("part", -1, NIGHT): "cette nuit, la nuit derniere",
            ("rolling", 30, 0.3): "recemment, dernierement, ces derniers temps",
            ("between", 14, 1, 0.5): "l autre jour",
        },
        "l": "dernier derniere derniers dernieres passe passee passes passees",
        "t": "ce cet cette",
        "n": "prochain prochaine prochains prochaines",
        "v": "il y a, voici",
        "i": "en, pendant, durant, au mois de, au cours de, dans, pour, vers",
        "o": "le la l les du de des d",
        "A": "au a",
        "e": "et ou",
        "b": "entre",
        "f": "avant",
        "g": "apres",
        "s": "depuis, a partir de",
        "u": "jusqu en, jusqu a, jusqu au",
        "x": "chaque tous toutes tout",
        "K": "version numero salle chambre commande page chapitre monsieur madame rue place avenue"
        " boulevard",
        "w": "du matin, du soir, barres mars, bonne nuit",
    },
    "spanish": {
        "months": "enero/ene febrero/feb marzo abril/abr mayo junio julio agosto/ago"
        " septiembre/setiembre/sept octubre/oct noviembre/nov diciembre/dic",
        "m": "abril mayo julio ago ene abr dic",
        "X": "lunes martes miercoles jueves viernes sabado domingo",
        "numbers": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "N": {
            (1, 1): "un, una",
            (2, 2): "un par de, par de",
            FEW: "unos, unas, pocos, pocas, unos pocos, unas pocas, unos cuantos",
            SEVERAL: "varios, varias, algunos, algunas",
        },
        "I": {1: "primer, primero", 2: "segundo", 3: "tercer, tercero", 4: "cuarto"},
        "S": {SPRING: "primavera", SUMMER: "verano", AUTUMN: "otono", WINTER: "invierno"},
        "P": {
            MORNING: "por la manana, en la manana",
            AFTERNOON: "por la tarde, en la tarde, tarde",
            NIGHT: "por la noche, en la noche, noche",
        },
        "U": {
            "day": "dia",
            "days": "dias, noches",
            "week": "semana",
            "weeks": "semanas",
            "month": "mes",
            "months": "meses",
            "hour": "hora, horas",
        },
        "B": {"weekend": "fin de semana, finde"},
        "q": {"quarter": "trimestre, trimestres"},
        "J": {"year": "ano, anos"},
        "E": {
            EARLY: "principios de, principio de, principios del, comienzos de, inicios de",
            MID: "mediados de, mediados del",
            LATE: "finales de, fines de, final de, finales del, fines del",
        },
        "H": {
            CHRISTMAS: "navidad, navidades",
            EASTER: "pascua",
            spans.easter(-7, 8): "semana santa",
            HALLOWEEN: "halloween",
        },
        "G": {
            CHRISTMAS_EVE: "nochebuena",
            NEW_YEARS_EVE: "nochevieja",
            NEW_YEAR: "ano nuevo",
            VALENTINE: "san valentin",
            spans.days(1, 6): "reyes magos, dia de reyes",
        },
        "D": {
            ("day", 0): "hoy",
            ("day", -1): "ayer",
            ("day", -2): "anteayer, antes de ayer",
            ("day", 1): "manana",
            ("day", 2): "pasado manana",
            ("part", -1, NIGHT): "anoche",
            ("part", 0, MORNING): "esta manana",
            ("part", 0, AFTERNOON): "esta tarde",
            ("part", 0, NIGHT): "esta noche",
            ("between", 214, 152, 0.5): "hace medio ano",
            ("rolling", 30, 0.3): "recientemente, ultimamente",
            ("between", 14, 1, 0.5): "el otro dia",
        },
        "l": "pasado pasada pasados pasadas ultimo ultima ultimos ultimas anterior",
        "t": "este esta",
        "n": "proximo, proxima, proximos, proximas, que viene",
        "v": "hace",
        "i": "en, durante, por, en el mes de, en el ano, para",
        "o": "el la del de lo",
        "A": "a al",
        "e": "y o",
        "b": "entre",
        "f": "antes de, antes del",
        "g": "despues de, despues del, tras",
        "s": "desde, a partir de",
        "u": "hasta",
        "x": "los las cada todos todas",
        "K": "version numero sala habitacion pedido pagina capitulo senor senora don dona calle"
        " avenida plaza paseo",
        "w": "la manana, de la manana, de la noche, de la tarde, buenas noches, a la tarde",
    },
    "italian": {
        "months": "gennaio/gen febbraio/feb marzo aprile/apr maggio giugno luglio agosto"
        " settembre/sett ottobre/ott novembre/nov dicembre/dic",
        "m": "gen apr sett ott nov dic",
        "X": "lunedi martedi mercoledi giovedi venerdi sabato domenica",
        "numbers": "due tre quattro cinque sei sette otto nove dieci undici dodici",
        "N": {(1, 1): "un, una", FEW: "pochi, poche, qualche", SEVERAL: "alcuni, alcune, diversi"},
        "I": {1: "primo", 2: "secondo", 3: "terzo", 4: "quarto"},
        "S": {SPRING: "primavera", SUMMER: "estate", AUTUMN: "autunno", WINTER: "inverno"},
        "P": {MORNING: "mattina", AFTERNOON: "pomeriggio", EVENING: "sera", NIGHT: "notte"},
        "U": {
            "day": "giorno",
            "days": "giorni, notti",
            "week": "settimana",
            "weeks": "settimane",
            "month": "mese",
            "months": "mesi",
            "hour": "ora, ore",
        },
        "B": {"weekend": "fine settimana, weekend"},
        "q": {"quarter": "trimestre, trimestri"},
        "J": {"year": "anno, anni"},
        "E": {
            EARLY: "inizio, all inizio di, all inizio del",
            MID: "meta",
            LATE: "fine, alla fine di, alla fine del",
        },
        "H": {CHRISTMAS: "natale", EASTER: "pasqua", HALLOWEEN: "halloween"},
        "G": {
            CHRISTMAS_EVE: "vigilia di natale",
            NEW_YEARS_EVE: "san silvestro",
            NEW_YEAR: "capodanno",
            VALENTINE: "san valentino",
            spans.days(8, 15): "ferragosto",
        },
        "D": {
            ("day", 0): "oggi",
            ("day", -1): "ieri",
            ("day", -2): "l altro ieri, altro ieri, avantieri",
            ("day", 1): "domani",
            ("day", 2): "dopodomani",
            ("part", -1, EVENING): "ieri sera",
            ("part", 0, MORNING): "stamattina, stamani, questa mattina",
            ("part", 0, EVENING): "stasera, questa sera",
            ("part", -1, NIGHT): "stanotte, la notte scorsa",
            ("rolling", 30, 0.3): "recentemente, ultimamente, di recente",
            ("between", 14, 1, 0.5): "l altro giorno",
        },
        "l": "scorso scorsa scorsi scorse passato passata passati passate ultimo ultimi ultime",
        "t": "questo questa quest",
        "n": "prossimo prossima prossimi prossime",
        "a": "fa",
        "i": "in, nel, nell, nella, durante, d, negli, nelle, per, nei",
        "o": "il la lo l gli le del dello della di dell i",
        "A": "a al",
        "e": "e ed o",
        "b": "tra fra",
        "f": "prima di, prima del, prima dell, prima della",
        "g": "dopo, dopo il",
        "s": "da, dal, dall",
        "u": "fino a, fino al",
        "x": "ogni tutti tutte",
        "K": "versione numero stanza camera ordine pagina capitolo signor signora via viale piazza"
        " corso",
        "w": "di mattina",
    },
    "portuguese": {
        "months": "janeiro/jan fevereiro/fev marco abril/abr maio junho/jun julho/jul agosto/ago"
        " setembro/set outubro/out novembro/nov dezembro/dez",
        "m": "jan fev abr jun jul ago set out nov dez",
        "X": "segunda_feira terca_feira quarta_feira quinta_feira sexta_feira sabado"
        " domingo",
        "numbers": "dois/duas tres quatro cinco seis sete oito nove dez onze doze",
        "N": {(1, 1): "um, uma", FEW: "poucos, poucas", SEVERAL: "alguns, algumas, varios, varias"},
        "I": {1: "primeiro", 2: "segundo", 3: "terceiro", 4: "quarto"},
        "S": {SPRING: "primavera", SUMMER: "verao", AUTUMN: "outono", WINTER: "inverno"},
        "P": {MORNING: "de manha", AFTERNOON: "a tarde, de tarde", NIGHT: "a noite, de noite"},
        "U": {
            "day": "dia",
            "days": "dias, noites",
            "week": "semana",
            "weeks": "semanas",
            "month": "mes",
            "months": "meses",
            "hour": "hora, horas",
        },
        "B": {"weekend": "fim de semana"},
        "q": {"quarter": "trimestre, trimestres"},
        "J": {"year": "ano, anos"},
        "E": {
            EARLY: "inicio de, inicio do, comeco de, comeco do",
            MID: "meados de, meados do",
            LATE: "final de, final do, fim de, fim do",
        },
        "H": {CHRISTMAS: "natal", EASTER: "pascoa", spans.easter(-50, 5): "carnaval"},
        "G": {
            CHRISTMAS_EVE: "vespera de natal",
            NEW_YEARS_EVE: "vespera de ano novo, reveillon",
            NEW_YEAR: "ano novo",
        },
        "D": {
            ("day", 0): "hoje",
            ("day", -1): "ontem",
            ("day", -2): "anteontem",
            ("day", 1): "amanha",
            ("part", -1, NIGHT): "ontem a noite, noite passada",
            ("part", 0, MORNING): "esta manha, hoje de manha",
            ("rolling", 30, 0.3): "recentemente, ultimamente",
            ("between", 14, 1, 0.5): "outro dia",
        },
        "l": "passado passada passados passadas ultimo ultima ultimos ultimas",
        "t": "este esta neste nesta",
        "n": "proximo, proxima, proximos, proximas, que vem",
        "v": "ha",
        "a": "atras",
        "i": "em, no, na, nos, nas, durante, por, pelo, no mes de, no ano de",
        "o": "o do da de",
        "A": "a ao",
        "e": "e ou",
        "b": "entre",
        "f": "antes de, antes do, antes da",
        "g": "depois de, depois do, depois da, apos",
        "s": "desde, a partir de",
        "u": "ate",
        "x": "cada todos todas os as",
        "K": "versao numero sala quarto pedido pagina capitulo senhor senhora rua avenida praca",
        "w": "",
    },
}
# Words that are something else but behind these: `été` is `been`, too.
BEHIND_ONLY = {("french", "ete"): frozenset({"l", "en", "cet", "d", "dernier", "prochain"})}
# Words that are something else when they begin with a capital.
LOWER_ONLY = frozenset({("german", "morgen")})
TELLING = "MmyWXSHGPQqBUJD"
# Classes whose values count up: the class and the first value.
SERIES = {"months": ("M", 1), "W": ("W", 0), "X": ("X", 0), "numbers": ("N", 2)}


def fold(word: str) -> str:
    """Return a word in lower case, without its accents."""
    word = word.casefold()
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


@cache
def vocabulary(language: str) -> dict[str, tuple[Entry, ...]]:
    """Return the entries by their first word, the longest phrase first; empty if unknown."""
    entries: dict[str, list[Entry]] = {}
    for kind, phrase, value in _rows(TABLES.get(language, {})):
        first, *rest = phrase.split()
        entries.setdefault(first, []).append(Entry(tuple(rest), kind, value))
    return {
        first: tuple(sorted(ones, key=lambda entry: -len(entry.rest)))
        for first, ones in entries.items()
    }


@cache
def telling() -> frozenset[str]:
    """Return the words without one of which, or a digit, a text names no time."""
    return frozenset(
        max(phrase.split(), key=len)
        for table in TABLES.values()
        for kind, phrase, _ in _rows(table)
        if kind in TELLING
    )


def _rows(table: dict[str, object]) -> Iterator[tuple[str, str, object]]:
    """Yield the class, the phrase and the value of each entry of a language."""
    for kind, listed in table.items():
        if kind in SERIES:
            yield from _series(table, *SERIES[kind], str(listed))
        elif isinstance(listed, dict):
            for value, phrases in listed.items():
                yield from ((kind, phrase, value) for phrase in phrases.split(", "))
        elif kind not in ("m", "y"):
            yield from ((kind, phrase, None) for phrase in _phrases(str(listed)))


def _series(
    table: dict[str, object], kind: str, begin: int, listed: str
) -> Iterator[tuple[str, str, object]]:
    weak = {word: mark for mark in "my" for word in str(table.get(mark, "")).split()}
    for number, forms in enumerate(listed.split(), begin):
        for form in forms.split("/"):
            value = (number, number) if kind == "N" else number
            yield weak.get(form, kind) if kind == "M" else kind, form.replace("_", " "), value


def _phrases(listed: str) -> list[str]:
    """Return phrases parted by commas, or, where there is none, words."""
    return [one.strip() for one in listed.split(",")] if "," in listed else listed.split()
