"""group_rows.py FILE grouped|checked: one question of DuckDB's, on one thread; prints the seconds of processor time and the rows."""
import resource
import sys

import duckdb

file, question = sys.argv[1:]
types = {0: "BIGINT", 1: "DATE", 59: "BIGINT", **dict.fromkeys((2, 3, 25, 29, 31, 32, 33, 35, 43, 51), "INTEGER"),
         **dict.fromkeys((4, 30, 34, 40, 41, 48, 49, 56, 57), "DOUBLE")}
columns = {f"c{i}": types.get(i, "VARCHAR") for i in range(61)}
validated = [0, 1, 2, 3, *range(25, 35), 51, 53, 54, 56, 57, 58, 59, 60]
counts = "".join(f", count(c{i})" for i in validated) if question == "checked" else ""
database = duckdb.connect()
database.execute("SET threads = 1")
query = f"""SELECT c53, c28, count(*){counts} FROM read_csv(?, delim='\t', header=false, quote='', escape='',
            dateformat='%Y%m%d', auto_detect=false, columns=?) GROUP BY c53, c28"""


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


before = processor_seconds()
groups = database.execute(query, [file, columns]).fetchall()
print(f"{processor_seconds() - before:.3f} {sum(group[2] for group in groups)}")
