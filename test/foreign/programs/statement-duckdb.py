"""Reads a statement with DuckDB. Arguments: the file, and its format.

Prints the count and the sums, in cents, of its rows and of its trailer as one line of JSON.
"""

import json
import sys

import duckdb

path, form = sys.argv[1:]
if form == "ndjson":
    lines = f"read_json('{path}', format = 'newline_delimited')"
    amount = "(100 * {}.amount::decimal(18, 2))::bigint"
    rows = f"select count(*), sum({amount.format('premium')}), sum({amount.format('commission')}) from {lines} where trailer is null"
    sums = [amount.format(f"trailer.{name}") for name in ("premiums", "commissions")]
    trailer = f"select trailer.count, {sums[0]}, {sums[1]} from {lines} where trailer is not null"
else:
    # All that windows-1252 and latin-1 differ in are signs that no statement has.
    settings = "delim = ';', encoding = 'latin-1'" if form == "csv-1252" else "delim = ','"
    # The trailer has fewer fields.
    lines = f"read_csv('{path}', header = true, all_varchar = true, null_padding = true, {settings})"
    amount = "(100 * replace({}, ',', '.')::decimal(18, 2))::bigint"
    is_trailer = "policy_number = 'TRAILER'"
    rows = f"select count(*), sum({amount.format('premium')}), sum({amount.format('commission')}) from {lines} where not {is_trailer}"
    sums = [amount.format(name) for name in ("coverage", '"start"')]
    trailer = f"select reg_number::int, {sums[0]}, {sums[1]} from {lines} where {is_trailer}"
print(json.dumps([[int(cell) for cell in duckdb.sql(query).fetchall()[0]] for query in (rows, trailer)]))
