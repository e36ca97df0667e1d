"""What the words of every language name."""

from ranking.periods import spans

Table = dict[str, object]
"""Of each class of words, phrases parted by commas (words by blanks), or those of each value.

Months begin with January, weekdays with Monday, numbers with two; forms of one are parted by `/`.
"""

MORNING, AFTERNOON, EVENING, NIGHT = (5, 12), (12, 18), (18, 24), (18, 30)
FEW, SEVERAL = (2, 5), (3, 7)
EARLY, MID, LATE, FIRST_HALF, SECOND_HALF = (3, 0, 1), (3, 1, 2), (3, 2, 3), (2, 0, 1), (2, 1, 2)
CHRISTMAS, CHRISTMAS_EVE, NEW_YEAR = spans.days(12, 24, 3), spans.days(12, 24), spans.days(1, 1)
CHRISTMAS_DAY, NEW_YEARS_EVE = spans.days(12, 25), spans.days(12, 31)
HALLOWEEN, VALENTINE, ALL_SAINTS = spans.days(10, 31), spans.days(2, 14), spans.days(11, 1)
EASTER = spans.easter(-2, 4)
SPRING, SUMMER, AUTUMN, WINTER = (spans.months(first, 3) for first in (3, 6, 9, 12))
