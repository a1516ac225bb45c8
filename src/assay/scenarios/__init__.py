"""What is asked: scenarios, where their data comes from, and the library of declared ones."""

from assay.scenarios.base import Draft, Row, Scenario, ScenarioFamily, choice, question, scenario
from assay.scenarios.sources import File, Generator, Hub

__all__ = ["Draft", "File", "Generator", "Hub", "Row", "Scenario", "ScenarioFamily", "choice", "question", "scenario"]
