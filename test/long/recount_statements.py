"""Computes statements anew, by decimals, from policies and vehicles; and reads their files, by the csv module.

Reads JSON from its input, and prints what differs, as a list of JSON.
"""

import base64
import csv
import io
import json
import sys
from decimal import ROUND_HALF_EVEN, Decimal

PLACES = {"EUR": Decimal("0.01"), "JPY": Decimal("1"), "KWD": Decimal("0.001")}
RATES = {"EUR": Decimal("1"), "JPY": Decimal("163"), "KWD": Decimal("0.335")}
COVERAGES = {
    "MTPL-12M": Decimal("1"),
    "MTPL-6M": Decimal("1.07"),
    "MTPL-3M": Decimal("1.15"),
    "MTPL-1M": Decimal("1.30"),
}


def rounded(amount, currency):
    return amount.quantize(PLACES[currency], rounding=ROUND_HALF_EVEN)


def premium(policy, vehicle, currency):
    if vehicle is None:
        base, age = Decimal("35.00"), Decimal("1")
    else:
        base = Decimal("15.00") + Decimal(vehicle.get("engine_capacity_ccm", 1000)) * Decimal("0.01")
        years = int(policy["startDate"][:4]) - int(vehicle["first_reg_date"][:4])
        age = Decimal("1.25") if years >= 10 else Decimal("1.10") if years >= 3 else Decimal("1")
    return rounded(base * age * COVERAGES[policy["coverageOption"]] * RATES[currency], currency)


def is_covered(policy, month):
    last = policy["endDate"]
    if policy["status"] == "cancelled":
        last = min(last, policy["updatedAt"][:10])
    return policy["startDate"] <= last and policy["startDate"][:7] <= month <= last[:7]


def read_csv(data, encoding, delimiter, point):
    lines = list(csv.reader(io.TextIOWrapper(io.BytesIO(data), encoding=encoding, newline=""), delimiter=delimiter))
    amounts = lambda fields: [Decimal(field.replace(point, ".")) for field in fields]
    rows = [line[:5] + amounts(line[5:7]) + line[7:] for line in lines[1:-1]]
    word, count, *sums = lines[-1]
    return rows, [word, int(count), *amounts(sums)], lines[0]


HEADER = ["policy_number", "reg_number", "coverage", "start", "end", "premium", "commission", "currency"]


def read_ndjson(data):
    *lines, last = [json.loads(line) for line in data.decode("utf-8").splitlines()]
    names = ["policyNumber", "regNumber", "coverage", "start", "end"]
    rows = [
        [line[name] for name in names]
        + [Decimal(line["premium"]["amount"]), Decimal(line["commission"]["amount"]), line["premium"]["currency"]]
        for line in lines
    ]
    trailer = last["trailer"]
    sums = [Decimal(trailer[name]["amount"]) for name in ("premiums", "commissions")]
    return rows, ["TRAILER", trailer["count"], *sums], HEADER


READERS = {
    "csv": lambda data: read_csv(data, "utf-8", ",", "."),
    "csv-1252": lambda data: read_csv(data, "cp1252", ";", ","),
    "ndjson": read_ndjson,
}

given = json.load(sys.stdin)
faults = []
rows_read = 0
ties = 0
for file in given["files"]:
    statement = file["statement"]
    currency = statement["currency"]
    expected = []
    for policy in given["policies"]:
        if not is_covered(policy, statement["month"]):
            continue
        cost = premium(policy, given["vehicles"].get(policy["regNumber"]), currency)
        share = cost * Decimal("0.125")
        ties += (share / PLACES[currency]) % 1 == Decimal("0.5")
        fields = [policy[name] for name in ("id", "regNumber", "coverageOption", "startDate", "endDate")]
        expected.append([*fields, cost, rounded(share, currency), currency])
    sums = [sum((row[column] for row in expected), Decimal(0)) for column in (5, 6)]
    rows, trailer, header = READERS[statement["format"]](base64.b64decode(file["content"]))
    rows_read += len(rows)
    name = f"{statement['month']} {statement['format']} {currency}"
    faults += [f"{name}: {got} in place of {want}" for got, want in zip(rows, expected) if got != want][:5]
    told = [statement["count"], *(Decimal(statement[each]["amount"]) for each in ("premiums", "commissions"))]
    want = [len(expected), *sums]
    if len(rows) != len(expected) or header != HEADER or trailer != ["TRAILER", *want] or told != want:
        faults.append(f"{name}: {len(rows)} rows, {trailer}, {told} in place of {want}")
    # A decimal of another scale is equal, and not what is promised.
    scales = {row[column].as_tuple().exponent for row in rows for column in (5, 6)}
    if scales - {PLACES[currency].as_tuple().exponent}:
        faults.append(f"{name}: decimals {scales}")

print(json.dumps({"faults": faults, "rows": rows_read, "ties": ties}))
