# SPDX-License-Identifier: GPL-2.0-only
"""Names of kselftest's results, by which others compare runs, have no number of one run."""
import re

STRING = r'"(?:[^"\\]|\\.)*"'


def test_names_of_results_are_the_same_in_each_run(top):
    calls = [(path.name, call)
             for path in sorted((top / 'selftests').rglob('*.c'))
             for call in re.findall(r'\b(?:ksft_)?test_result(?:_pass)?\(.*?\);',
                                    path.read_text(), re.DOTALL)]
    texts = [(name, text.partition(' | ')[0]) for name, call in calls
             for text in re.findall(STRING, call) if text.endswith('\\n"') or ' | ' in text]
    assert len(texts) > 50
    assert [(name, text) for name, text in texts if re.search(r'%[#0-9l]*[diux]', text)] == []
