"""Values for a JSON Schema: valid ones, one realistic example, and shrinking.

Every value is checked with the validator before it is returned. The same schema and seed always have the same
values. Work is limited by counts, never by time.
"""

from toolgen.proof.instances.generator import InstanceGenerator, example_value
from toolgen.proof.instances.shrinking import shrink

__all__ = ["InstanceGenerator", "example_value", "shrink"]
