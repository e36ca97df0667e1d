"""The statements of the queue. Each finds what it needs by an index that holds no more than that.

A job that is due stands in one of four stages. `ready` is the first of its subject, and the index of
the ready ones is all that workers look at; `behind` waits for another of its subject, and is made
ready by the end of that one; `later` waits for its time, and is looked at when that has come;
`aside` is `later` and holds nobody up. The stage is where to look: whether a job may run is asked
again when it is claimed, so that a stage that is wrong costs time and never the order. Two that
meet at the last moment are held apart by a constraint, `job_runs_alone`.
"""

DUE = """(
  (job.state = 'due' and job.not_before <= now())
  or (job.state = 'running' and job.lease_until < now())
)"""
# The first job of a subject, of those that hold others up; `subject` is an expression. A dead one
# holds nobody up, nor does one that waits until tomorrow for somebody who can pay. It is asked as a
# place in the index, which no other plan can answer: with `subject = …` the planner may count on
# finding one soon, and read the whole table where there is none.
FIRST = """(
  select case when other.subject = {subject} then other.id end from consolidation_job other
  where (other.subject, other.id) >= ({subject}, 0::bigint) and not other.subject = ''
    and other.state in ('due', 'running') and not other.stage = 'aside'
    and not (other.state = 'due' and other.not_before > now()
             and other.last_error_code = 'out_of_budget')
  order by other.subject, other.id limit 1)"""
# One job of a subject at a time, in the order of the ids.
FREE = f"""(job.subject = '' or (
  coalesce({FIRST.format(subject="job.subject")} >= job.id, true)
  and not exists (
    select from consolidation_job other
    where other.subject = job.subject and not other.subject = '' and other.state = 'running'
      and other.id <> job.id)
))"""
ENQUEUE = f"""
insert into consolidation_job (kind, key, subject, state, attempts, max_attempts, fence, last_error_code,
                               not_before, priority, owner, organization, stage)
values (
  %(kind)s, %(key)s, %(subject)s::varchar, 'due', 0, %(most)s, 0, '', now() + make_interval(secs => %(delay)s::float8),
  %(priority)s::smallint, %(owner)s::int, coalesce(
    (select agent.organization_id from accounts_owner owner
     join accounts_agent agent on agent.id = owner.agent_id where owner.id = %(owner)s::int),
    '00000000-0000-0000-0000-000000000000'),
  case when %(delay)s::float8 > 0 then 'later'
       when not %(subject)s::varchar = '' and {FIRST.format(subject="%(subject)s::varchar")} is not null
       then 'behind'
       else 'ready' end)
on conflict (kind, key) where state = 'due'
do update set not_before = least(consolidation_job.not_before, excluded.not_before),
              priority = least(consolidation_job.priority, excluded.priority)
returning id
"""  # noqa: S608 - literals
# What is due now and was not before: it is ready, or behind another of its subject.
RIPEN = f"""
with ripe as materialized (
  select id from consolidation_job
  where state = 'due' and stage in ('later', 'aside') and not_before <= now()
  order by not_before, id limit %(limit)s::int for update skip locked
)
update consolidation_job job set stage = case when {FREE} then 'ready' else 'behind' end
from ripe where job.id = ripe.id
"""  # noqa: S608 - literals
# The first of some subjects of which every job is behind: the one that it waited for has gone
# without a word, or ended in the moment in which this one was made.
WALK = f"""
with recursive first as (
  (select subject, id from consolidation_job
   where state = 'due' and stage = 'behind' and subject > %(after)s::varchar order by subject, id limit 1)
  union all
  select next.subject, next.id from first cross join lateral (
    select subject, id from consolidation_job
    where state = 'due' and stage = 'behind' and subject > first.subject
    order by subject, id limit 1) next
), heads as materialized (select subject, id from first limit %(limit)s::int),
freed as (
  update consolidation_job job set stage = 'ready' from heads
  where job.id = heads.id and job.state = 'due' and job.stage = 'behind' and {FREE}
)
select coalesce((select max(subject) from heads having count(*) = %(limit)s::int), '')
"""  # noqa: S608 - literals
READY = "job.state = 'due' and job.stage = 'ready'"
# Whether anything of the first classes is ready, up to one.
SOMEBODY_WAITS = f"""
select exists (select from consolidation_job job where {READY} and job.priority < %(priority)s::smallint)
"""  # noqa: S608 - literals
# What is handed out and not claimed is handed out again after a while.
NOT_HANDED_OUT = """(job.dispatched_at is null
  or job.dispatched_at < now() - make_interval(secs => %(dispatch)s::float8))"""
# Of the first class in which anything is ready: the organization after the one whose turn was last,
# in it the owner after the one whose turn was last there, and of that owner the oldest job.
CHOSEN = f"""
line as materialized (
  select class.number as priority, turn.organization,
         coalesce((%(turns)s::text::jsonb ->> (class.number || ':' || turn.organization))::int, -1) as owner
  from unnest(%(classes)s::smallint[]) with ordinality class (number, place)
  cross join lateral (select coalesce(
    (select job.organization from consolidation_job job
     where {READY} and job.priority = class.number and {{eligible}}
       and job.organization > coalesce(%(turns)s::text::jsonb ->> class.number::text, '00000000-0000-0000-0000-000000000000')::uuid
     order by job.organization, job.owner, job.id limit 1),
    (select job.organization from consolidation_job job
     where {READY} and job.priority = class.number and {{eligible}}
     order by job.organization, job.owner, job.id limit 1)) as organization) turn
  where turn.organization is not null and (
    class.number <> all(%(slow)s::smallint[]) or %(most)s::int > (
      select count(*) from consolidation_job busy
      where busy.state = 'running' and busy.priority = any(%(slow)s::smallint[])))
  limit 1
), chosen as materialized (select coalesce(
  (select job.id from consolidation_job job
   where {READY} and job.priority = line.priority and job.organization = line.organization
     and job.owner > line.owner and {{eligible}}
   order by job.owner, job.id limit 1 for update skip locked),
  (select job.id from consolidation_job job
   where {READY} and job.priority = line.priority and job.organization = line.organization
     and {{eligible}}
   order by job.owner, job.id limit 1 for update skip locked),
  (select job.id from consolidation_job job
   where {READY} and job.priority = line.priority and {{eligible}}
   order by job.organization, job.owner, job.id limit 1 for update skip locked)) as id
  from line)
"""  # noqa: S608 - literals
ELIGIBLE = f"job.not_before <= now() and {FREE}"
CLAIMED = """
state = 'running', attempts = job.attempts + 1, fence = job.fence + 1,
lease_until = now() + make_interval(secs => %(lease)s::float8)
"""
RUN = "job.kind, job.key, job.subject, job.fence, job.attempts, job.max_attempts"
NEXT = f"""
with {CHOSEN.format(eligible=ELIGIBLE + " and job.attempts < job.max_attempts")}
update consolidation_job job set {CLAIMED} from chosen where job.id = chosen.id
returning job.priority, job.organization, job.owner, job.id, {RUN}
"""  # noqa: S608 - literals
CLAIM = f"""
update consolidation_job job set {CLAIMED}
where job.id = %(job)s::bigint and {DUE} and {FREE} and job.attempts < job.max_attempts
returning {RUN}
"""  # noqa: S608 - literals
# Nobody waits for its commit: what a crash of the database forgets here is handed out again.
TAKE = f"""
with {CHOSEN.format(eligible=ELIGIBLE + " and " + NOT_HANDED_OUT)}
update consolidation_job job set dispatched_at = now()
from chosen, set_config('synchronous_commit', 'off', true) where job.id = chosen.id
returning job.priority, job.organization, job.owner, job.id
"""  # noqa: S608 - literals
LAPSED = f"""
update consolidation_job set dispatched_at = now() where id in (
  select job.id from consolidation_job job
  where job.state = 'running' and job.lease_until < now() and {NOT_HANDED_OUT}
  order by job.lease_until limit %(limit)s::int for update skip locked
) returning id
"""  # noqa: S608 - literals
# With the end of a job, the next of its subject is ready. One that somebody holds is not waited for:
# the walk comes by.
ENDED = """
with ended as (
  update consolidation_job set {assignments} where {which} returning id, kind, key, subject
), next as materialized (
  select waiting.id from (select distinct subject from ended where not subject = '') subjects
  cross join lateral (
    select id, subject from consolidation_job
    where state = 'due' and stage = 'behind' and (subject, id) >= (subjects.subject, 0::bigint)
    order by subject, id limit 1 for update skip locked) waiting
  where waiting.subject = subjects.subject
), ready as (
  update consolidation_job job set stage = 'ready' from next where job.id = next.id
)
select kind, key from ended
"""
HELD = "id = %(job)s::bigint and fence = %(fence)s::bigint and state = 'running'"
FINISH = ENDED.format(
    assignments="state = 'done', finished_at = now(), last_error_code = ''", which=HELD
)
END = ENDED.format(
    assignments="state = %(state)s::varchar, finished_at = now(), last_error_code = %(code)s::varchar",
    which=HELD,
)
BURY = ENDED.format(
    assignments="state = 'dead', finished_at = now(), last_error_code = 'worker_died'",
    which="state = 'running' and lease_until < now() and attempts >= max_attempts",
)
CANCEL = ENDED.format(
    assignments="state = 'cancelled'", which="id = %(job)s::bigint and state = 'due'"
)
# One that waits for somebody who can pay lets the next of its subject by.
SET_ASIDE = ENDED.format(
    assignments="""
state = 'due', stage = 'aside', dispatched_at = null, last_error_code = %(code)s::varchar,
attempts = attempts - %(back)s::int, not_before = now() + make_interval(secs => %(wait)s::float8)""",
    which=HELD,
)
PUT_BACK = f"""
update consolidation_job
set state = 'due', stage = 'later', dispatched_at = null, last_error_code = %(code)s::varchar,
    attempts = attempts - %(back)s::int, not_before = now() + make_interval(secs => %(wait)s::float8)
where {HELD} returning id
"""  # noqa: S608 - literals
REST = f"""
update consolidation_job
set state = 'due', stage = 'later', dispatched_at = null, last_error_code = '', attempts = 0,
    not_before = now() + make_interval(secs => %(wait)s::float8)
where {HELD} returning id
"""  # noqa: S608 - literals
HOLD = f"""
update consolidation_job set lease_until = now() + make_interval(secs => %(lease)s::float8)
where {HELD} returning id
"""  # noqa: S608 - literals
