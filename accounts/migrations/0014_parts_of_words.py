from django.db import migrations

# PL/pgSQL, because it takes a text apart twice as fast as a query does. A call costs as much as
# reading a hundred rows, and the planner has to know.
GRAMS = r"""
create function accounts_grams(word text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  letters text[] := string_to_array(upper(word), null);
  found text[] := '{}';
begin
  if cardinality(letters) < 3 then
    return '''' || replace(replace(upper(word), '\', '\\'), '''', '''''') || ''':*';
  end if;
  for n in 1 .. least(cardinality(letters), 32) - 2 loop
    found := found || ('''' || replace(replace(letters[n] || letters[n + 1] || letters[n + 2],
                                               '\', '\\'), '''', '''''') || '''');
  end loop;
  return '(' || array_to_string(found, ' & ') || ')';
end $$
"""
PARTS = r"""
create function accounts_parts(owner integer, variadic texts text[]) returns tsvector
language plpgsql immutable parallel safe cost 10000 as $$
declare
  whole text := translate(array_to_string(texts, ' '), E'\t\n\v\f\r', '     ');
  letters text[] := string_to_array(upper(left(whole, 4000)), null);
  found text[] := array[' ' || owner];
begin
  if length(whole) > 4000 then
    found := found || text ' long';
  end if;
  if upper('i') <> 'I' or octet_length(whole) <> length(whole)
     and whole ~ '[^\u0001-\u007f\u2010\u2012-\u201f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]'
     and (upper('éя') <> 'ÉЯ' or whole ~ '[^\u0001-\u007f\u00c0-\u00d6\u00d8-\u00de\u00e0-\u00f6\u00f8-\u00fe\u0410-\u044f\u2010\u2012-\u201f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]')
  then
    found := found || text ' other';
  end if;
  for n in 1 .. coalesce(cardinality(letters), 0) loop
    continue when letters[n] = ' ';
    found := found || (letters[n] || case when coalesce(letters[n + 1], ' ') = ' ' then ''
      else letters[n + 1] || case when coalesce(letters[n + 2], ' ') = ' ' then ''
      else letters[n + 2] end end);
  end loop;
  return array_to_tsvector(found);
end $$
"""
JOINED = """
create function accounts_joined(texts text[]) returns text
language sql immutable parallel safe return array_to_string(texts, ' ')
"""
HOLDING = """
create function accounts_holding(owner integer, words text[]) returns tsquery
language plpgsql immutable parallel safe as $$
declare
  whose text := coalesce(''' ' || owner || ''' & ', '');
begin
  return (whose || '('''  || ' long' || ''' | ('
          || (select string_agg(accounts_grams(word), ' & ') from unnest(words) word) || '))')::tsquery;
end $$
"""
HOLDING_ANY = """
create function accounts_holding_any(owner integer, words text[]) returns tsquery
language plpgsql immutable parallel safe as $$
begin
  return (''' ' || owner || ''' & ('' long'' | '' other'' | '
          || (select string_agg(accounts_grams(word), ' | ') from unnest(words) word) || ')')::tsquery;
end $$
"""


class Migration(migrations.Migration):
    """Texts are found by any part of a word: by the runs of three letters in it.

    A part of one or two letters is the beginning of such a run. No language has a part in it, so
    that what has no spaces between its words is found as well.
    """

    dependencies = [("accounts", "0013_owner_sharing")]

    operations = [
        migrations.RunSQL(GRAMS, "drop function accounts_grams(text)"),
        migrations.RunSQL(PARTS, "drop function accounts_parts(integer, text[])"),
        migrations.RunSQL(JOINED, "drop function accounts_joined(text[])"),
        migrations.RunSQL(HOLDING, "drop function accounts_holding(integer, text[])"),
        migrations.RunSQL(HOLDING_ANY, "drop function accounts_holding_any(integer, text[])"),
    ]
