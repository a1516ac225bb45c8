"""The perturbations that come with assay. Importing this registers them."""

from assay.perturbations.library import dialect, lowercase, paraphrase, typos

__all__ = ["dialect", "lowercase", "paraphrase", "typos"]
