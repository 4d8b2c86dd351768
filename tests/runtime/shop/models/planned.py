from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class PlannedRequest(BaseModel):
    model_config = ConfigDict(extra="allow")
