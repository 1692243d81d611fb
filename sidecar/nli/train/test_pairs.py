import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(HERE / "pairs.py"), str(folder)], capture_output=True, text=True, check=False)


def test_each_line_of_a_group_is_a_line_of_json(tmp_path: Path) -> None:
    lines = ["## gate", "P: The gate is “shut”.", "S light: It is shut.", "C antonym: It is open.", "U added_detail: Bram shut it."]
    (tmp_path / "village-1.txt").write_text("\n".join(lines), encoding="utf-8")
    got = [json.loads(line) for line in run(tmp_path).stdout.splitlines()]
    assert [(r["hypothesis"], r["label"], r["kind"]) for r in got] == [
        ("It is shut.", "supported", "light"),
        ("It is open.", "contradicted", "antonym"),
        ("Bram shut it.", "unverifiable", "added_detail"),
    ]
    assert {r["premise"] for r in got} == {"The gate is “shut”."}


def test_a_folder_without_groups_is_one_clear_line(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(str(tmp_path))
    assert len(done.stderr.splitlines()) == 1
