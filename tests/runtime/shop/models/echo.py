from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class EchoRequest(BaseModel):
    model_config = ConfigDict(extra="allow")
