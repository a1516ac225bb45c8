from __future__ import annotations

import subprocess
import sys


def test_listing_metrics_and_perturbations_imports_no_heavy_library() -> None:
    program = (
        "import sys\n"
        "from assay import registry\n"
        "assert 'exact_match' in registry.metrics.names()\n"
        "assert 'typos' in registry.perturbations.names()\n"
        "import assay.statistics\n"
        "print(sorted({'numpy', 'scipy', 'polars'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
