"""The table generator's checks: each table below has one fault; the generator must refuse it."""
import os
import subprocess
import sys
import tempfile
import unittest

GENERATOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "sass", "tables", "generate.py")
GOOD = """families 80
field Type data type
field Bool combination
row AAA 0x010 : 1
  fix 80=0
  mod Type 73:2 = U32 (S32) S16
  ops Dst=R16 A=a B=b C=c
row BBB 0x010 : 1
  fix 80=1
  ops Dst=R16
"""


class Generate(unittest.TestCase):
    def run_on(self, table):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "t.tbl")
            with open(path, "w", encoding="utf-8") as file:
                file.write(table)
            return subprocess.run([sys.executable, GENERATOR, os.path.join(directory, "out"), path],
                                  capture_output=True, text=True, check=False)

    def refused(self, old, new, reason):
        self.assertIn(old, GOOD)
        run = self.run_on(GOOD.replace(old, new, 1))
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(reason, run.stderr)

    def test_accepts_the_good_table(self):
        run = self.run_on(GOOD)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_refuses_two_owners_of_a_bit(self):
        self.refused("mod Type 73:2", "mod Type 71:2", "bit 71 is both")

    def test_refuses_a_list_longer_than_its_field(self):
        self.refused("mod Type 73:2", "mod Type 73:1", "3 values for 2 encodings")

    def test_refuses_an_undeclared_field(self):
        self.refused("mod Type", "mod Mode", "field Mode is not declared")

    def test_refuses_rows_that_match_the_same_word(self):
        self.refused("fix 80=1", "mod Bool 80 = - EX", "overlap")

    def test_refuses_scheduling_bits_in_a_field(self):
        self.refused("mod Type 73:2", "mod Type 104:2", "scheduling")

    def test_refuses_an_unknown_role(self):
        self.refused("A=a", "Source=a", "unknown role")


if __name__ == "__main__":
    unittest.main()
