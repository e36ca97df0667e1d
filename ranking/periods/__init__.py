"""Time in a question: the periods it names, the events it names instead, and how close they are.

Own rules, not a library: of 129 questions that name a time, dateparser 1.5 (`search_dates`) returns
a moment within it for 78, and finds one in 26 of 58 that name none; parsedatetime 34 and 28,
timefhuman 23 and 12, recurrent 31 and 26 (tests/ranking/periods_cases.jsonl). None returns spans.
"""
