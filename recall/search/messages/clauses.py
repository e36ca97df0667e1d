"""The parts of the search statement: common table expressions, with names in braces to be filled in.

A scalar subquery with `limit` is a lookup by key; as a join it may become a scan of all the owner has.
"""

from enum import Enum


class Arm(Enum):
    """How vectors are searched."""

    NONE = "none"
    EXACT = "exact"
    SIGNS = "signs"
    GRAPH = "graph"


# A trial of the rule that only summaries of long-term memory have vectors (CH-05).
DETAILS = """
details as materialized (
  select number from memory_chunk where owner_id = %(owner)s and tier = 'long_term_detail'
),
"""
# What a caller may ask of each chunk and its session.
FILTERS = """
  and (%(session)s::uuid is null or chunk.session_id = %(session)s)
  and (%(since)s::timestamptz is null or chunk.occurred_at >= %(since)s)
  and (%(until)s::timestamptz is null or chunk.occurred_at < %(until)s)
  and (%(as_of)s::timestamptz is null or session.ended_at <= %(as_of)s)
  and (%(speaker)s::text is null or lower(chunk.speaker) = lower(%(speaker)s))
"""
# `allowed` is present only when the caller filters: the arms then see nothing else.
ALLOWED = f"""
allowed as materialized (
  select chunk.number from memory_chunk chunk join memory_session session on session.id = chunk.session_id
  where chunk.owner_id = %(owner)s {FILTERS}
),
"""  # noqa: S608 - literals
STATISTICS = """
sizes as materialized (
  select chunks::float8 chunks, greatest(chunk_terms::float8 / greatest(chunks, 1), 1) chunk_length,
         sessions::float8 sessions, next_chunk,
         greatest(session_terms::float8 / greatest(sessions, 1), 1) session_length
  from memory_ownerindex where owner_id = %(owner)s
),
terms as materialized (
  select term, ln({one} + (chunks - documents + {half}) / (documents + {half})) * {k1_and_one} idf,
         chunk_length, documents > {frequent_chunks} and documents > {frequent_share} * chunks frequent
  from memory_term, sizes
  where owner_id = %(owner)s and unit = 0 and term = any(%(terms)s)
),
bounds as materialized (
  select nullif(sum(idf), 0) ceiling, coalesce(sum(idf) filter (where frequent), 0) reach from terms
),
"""
# Every chunk that holds a term is scored: for owners in whom no term is frequent enough to cost.
EVERY = """
known as materialized (
  select posting.document, sum({weight}) score
  from terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  where true {allowed_posting} group by posting.document
),
lexical as materialized (
  select document, score from known order by score desc, document limit %(candidates)s
),
"""
# MaxScore: frequent terms only complete the chunks that rarer terms already put within reach of
# the last candidate's score. Where the rarer ones cannot prove that score, everything is scored.
MAX_SCORE = """
rare as materialized (
  select posting.document, sum({weight}) score
  from terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  where not frequent {allowed_posting} group by posting.document
),
bar as materialized (
  select coalesce((select score from rare order by score desc offset %(candidates)s - 1 limit 1), 0) score
),
proven as materialized (select bar.score >= bounds.reach yes from bar, bounds),
known as materialized (
  select document, score from rare where (select yes from proven)
  union all
  select posting.document, sum({weight})
  from terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  where not (select yes from proven) {allowed_posting} group by posting.document
),
lexical as materialized (
  select known.document, known.score + coalesce(({rest_of_known}), 0) score
  from known, bar, bounds
  where not (select yes from proven) or known.score >= bar.score - bounds.reach
  order by 2 desc, 1 limit %(candidates)s
),
"""
REST = """
select sum({weight}) from terms join memory_posting posting
  on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  and posting.document = {of}
where frequent and (select yes from proven)
"""
DENSE = {
    Arm.NONE: "dense as (select 0 document, {zero} score where false),",
    Arm.EXACT: """
dense as materialized (
  select document, {one} - distance score from (
    select document, embedding <=> %(vector)s distance from memory_embedding
    where owner_id = %(owner)s and space_id = %(space)s and bits is null {allowed_embedding} {embedded}
    offset 0
  ) measured order by distance limit %(candidates)s
),
""",
    Arm.SIGNS: """
near as materialized (
  select document from memory_embedding
  where owner_id = %(owner)s and space_id = %(space)s and bits is not null {allowed_embedding} {embedded}
  order by bits::bit({dimension}) <~> (select binary_quantize(%(vector)s::halfvec({dimension})))
  limit %(candidates)s
),
dense as materialized (
  select near.document, {one} - (embedding <=> %(vector)s) score
  from near join memory_embedding embedded
    on embedded.owner_id = %(owner)s and embedded.space_id = %(space)s
    and embedded.document = near.document
),
""",
    Arm.GRAPH: """
dense as materialized (
  select document, {one} - (embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension})) score
  from memory_embedding
  where owner_id = {owner} and space_id = {space} {allowed_embedding} {embedded}
  order by embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension}) limit %(candidates)s
),
""",
}
# What no vector tells of is neither better nor worse than usual, and the fewer passages have one,
# the less their cosines weigh against the words of all.
BACKGROUND_OF = {
    True: """
sample as materialized (
  select array(select generate_series(1, next_chunk - 1, greatest((next_chunk - 1) / {background}, 1))) places
  from sizes
),
background as materialized (
  select coalesce(avg(cosine) + stddev_pop(cosine), 0) usual,
         coalesce(count(*)::float8 / nullif((select cardinality(places) from sample), 0), 0) coverage
  from (
    select {one} - (embedding <=> %(vector)s) cosine from memory_embedding
    where owner_id = %(owner)s and space_id = %(space)s
      and document = any((select places from sample)::int[]) {embedded} offset 0
  ) measured
),
""",
    False: "background as (select {zero} usual, {zero} coverage),",
}
# The cosines of what the words found and the vectors did not.
COMPLETED = {
    True: """
completed as materialized (
  select document, {one} - (embedding <=> %(vector)s) score from memory_embedding
  where owner_id = %(owner)s and space_id = %(space)s and document = any(array(
    select document from lexical union all select document from learned
    except select document from dense
  )) {embedded}
  union all select document, score from dense
),
""",
    False: "completed as (select 0 document, {zero} score where false),",
}
COSINE_OF = {
    True: """(
select {one} - (embedded.embedding <=> %(vector)s) from memory_embedding embedded
where embedded.owner_id = %(owner)s and embedded.space_id = %(space)s
  and embedded.document = chunk.number {embedded} limit 1)""",
    False: "null::float8",
}
# Facts and arcs lead to what they were learned from. A fact names the user's message.
LEARNED = {
    True: """
facts as materialized (
  select source_session, source_turn, {one} - (embedding <=> %(vector)s) - usual score
  from knowledge_fact, background
  where coverage > 0 and owner_id = %(owner)s and space_id = %(space)s and embedding is not null
    and user_visible and dormant_at is null and superseded_by = '' and not is_quarantined
    and source_session is not null
  order by score desc limit {facts}
),
learned as materialized (
  select chunk.number document, chunk.block, max(score) score
  from facts join memory_chunk chunk
    on chunk.session_id = source_session and chunk.lane = 'edge' and chunk.first_seq = source_turn
  where score > 0 and chunk.owner_id = %(owner)s and chunk.passage = 0 {allowed_chunk}
  group by chunk.number, chunk.block
),
arcs as materialized (
  select session session_id, greatest({one} - (embedding <=> %(vector)s) - usual, 0) score
  from knowledge_arc, background
  where coverage > 0 and owner_id = %(owner)s and space_id = %(space)s and embedding is not null
    and user_visible and dormant_at is null and superseded_by = '' and not is_quarantined
),
""",
    False: """
learned as (select 0 document, 0 block, {zero} score where false),
arcs as (select null::uuid session_id, {zero} score where false),
""",
}
# Of the times that a question names, the closest counts. An open side is null, which `greatest` skips.
TIME = {
    True: """
(select max(weight * exp(-least(greatest({zero}, begins - at, at - ends) / scale, {far})))
 from unnest(%(begins)s::float8[], %(ends)s::float8[], %(scales)s::float8[], %(weights)s::float8[])
      period (begins, ends, scale, weight)
      cross join lateral
      (select extract(epoch from answering.occurred_at)::float8) moment (at))""",
    False: "{zero}",
}
# A candidate of one arm gets its score in the other as well: half a score would rank it too low.
CALIBRATED = """
candidates as (
  select document from lexical union select document from dense union select document from learned
),
scored as materialized (
  select document, words, meaning, words + {meaning} * coverage * meaning score from (
    select document, coalesce({words_of_candidate} / ceiling, 0) words,
           coalesce(completed.score - usual, 0) meaning, coverage
    from candidates c cross join bounds cross join background
    left join known using (document) left join completed using (document)
    offset 0
  ) fused
),
"""
RECIPROCAL_RANK = """
scored as materialized (
  select document, sum(words) words, sum(meaning) meaning, sum(part) score from (
    select document, score / bounds.ceiling words, {zero} meaning,
           {one} / ({rrf_k} + row_number() over (order by score desc, document)) part
    from lexical, bounds
    union all
    select document, {zero}, score,
           {meaning} / ({rrf_k} + row_number() over (order by score desc, document)) from dense
  ) arms group by document
),
"""
PLACED = """
chunk.id, chunk.session_id, chunk.block, chunk.lane, chunk.first_seq, chunk.speaker, chunk.occurred_at,
chunk.tier = 'long_term_summary' is_summary, chunk.speaker <> '' and strpos(%(query)s, lower(chunk.speaker)) > 0 named,
right(chunk.text, 60) ~ '[?\uff1f\u061f]' asks
"""
# A summary that is found raises what it sums up, and stands for it where nothing of it was found.
# What a person answers is found by the question, whatever words the answer has: the block after one
# that asks is a candidate, and its question's score is evidence for it. A model's answers are not:
# every exchange has one.
IS_OF_A_MODEL = """exists (
select from memory_event event where event.session_id = {row}.session_id and event.lane = {row}.lane
  and event.seq = {row}.first_seq and event.type = 'ModelOutput')"""
CONTEXT = """
placed as materialized (
  select distinct on (chunk.block) scored.*, {placed}
  from (
    select * from memory_chunk
    where owner_id = %(owner)s and number = any(array(select document from scored)) offset 0
  ) chunk join scored on scored.document = chunk.number
  where chunk.muted_by is null order by chunk.block, score desc, document
),
answers as materialized (
  select document, words, meaning, words + {meaning} * coverage * meaning score, id, session_id, block,
         lane, first_seq, speaker, occurred_at, is_summary, named, asks
  from (
    select chunk.number document, coalesce({words_of_answer} / ceiling, 0) words,
           coalesce({cosine_of_answer} - usual, 0) meaning, coverage, {placed}
    from placed asking cross join bounds cross join background
    cross join lateral (
      select * from memory_chunk later
      where later.owner_id = %(owner)s and later.number > asking.document
        and later.number <= asking.document + {longest_block} and later.block > asking.block
      order by later.number limit 1
    ) chunk
    left join known on known.document = chunk.number
    where asking.asks and {reply} > 0 and chunk.block = asking.block + 1
      and chunk.session_id = asking.session_id and chunk.speaker <> asking.speaker
      and chunk.muted_by is null {allowed_chunk} and not {chunk_is_of_a_model}
      and not exists (select from placed other where other.block = chunk.block)
    offset 0
  ) following
),
blocks as materialized (
  select * from placed where not is_summary or not exists (
    select from placed other where other.session_id = placed.session_id and not other.is_summary
  )
  union all select * from answers
),
session_terms as materialized (
  select term, ln({one} + (sessions - documents + {half}) / (documents + {half})) * {k1_and_one} idf,
         session_length
  from memory_term, sizes
  where owner_id = %(owner)s and unit = 1 and term = any(%(terms)s)
),
session_words as materialized (
  select posting.document number, sum({session_weight}) / (select sum(idf) from session_terms) score
  from session_terms terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 1 and posting.term = terms.term
  group by posting.document
),
sessions as materialized (
  select session_id, coalesce(session_words.score, 0) score,
         greatest(coalesce(arcs.score, 0), coalesce(summaries.score, 0)) summary
  from (
    select session_id, (
      select number from memory_session where id = session_id limit 1
    ) number from (select distinct session_id from blocks) several
  ) numbered left join session_words using (number) left join arcs using (session_id)
  left join (
    select session_id, max(score) score from placed where is_summary group by session_id
  ) summaries using (session_id)
),
surrounded as (
  select blocks.*,
         case when lag(block) over place = block - 1 then lag(score) over place else {zero} end before,
         case when lead(block) over place = block + 1 then lead(score) over place else {zero} end after,
         case when lag(block) over place = block - 1 then lag(asks and {reply} > 0) over place
              and lag(speaker) over place <> speaker else false end follows,
         case block - 2 when lag(block) over place then lag(score) over place
              when lag(block, 2) over place then lag(score, 2) over place else {zero} end
         + case block + 2 when lead(block) over place then lead(score) over place
                when lead(block, 2) over place then lead(score, 2) over place else {zero} end farther
  from blocks window place as (partition by session_id order by block)
),
answering as materialized (
  select surrounded.*, case when follows and not {block_is_of_a_model} then before else {zero} end reply
  from surrounded
),
ranked as materialized (
  select answering.*, after + {farther} * farther + before - reply neighbours, sessions.score session_words, summary,
         coalesce((select max(learned.score) from learned where learned.block = answering.block), 0) learned,
         {time_of_chunk} timely
  from answering join sessions using (session_id)
),
best as (
  select *, score + {neighbours} * neighbours + {reply} * reply + {session} * session_words + {summary} * summary
         + {learned} * learned + {time} * timely + case when named then {speaker} else {zero} end total
  from ranked order by total desc, document limit %(limit)s
)
"""
ROWS = """
select chunk.id, chunk.session_id, chunk.lane, chunk.first_seq, chunk.last_seq, chunk.block, chunk.text,
       chunk.tokens, chunk.speaker, chunk.occurred_at, chunk.tier, chunk.embedding_state = 'done',
       best.total, best.words, best.meaning, best.neighbours, best.reply, best.session_words, best.summary,
       best.learned, best.timely, best.named,
       array(select event.id from memory_event event
             where event.session_id = chunk.session_id and event.lane = chunk.lane
               and event.seq between chunk.first_seq and chunk.last_seq order by event.seq)
from best cross join lateral (select * from memory_chunk where id = best.id limit 1) chunk
order by best.total desc, best.document
"""
WEIGHT = (
    "idf * posting.count / (posting.count + {k1} * ({b_rest} + {b} * posting.length / {average}))"
)
