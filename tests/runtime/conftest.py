"""Makes the sample packages importable: `shop` as toolgen would generate it, `shop_impl` by hand."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
