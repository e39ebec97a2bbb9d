"""The gateway's CORS, as the template configures it."""

from collections.abc import Mapping
from dataclasses import dataclass

from local.gateway import Answer
from local.template import parameter_defaults, resources

_PREFIX = "access-control-"


@dataclass(frozen=True)
class Cors:
    """The origins, methods and headers with which web pages may call the API."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...]
    exposed: tuple[str, ...]
    max_age_seconds: int

    def preflight(self, method: str, headers: Mapping[str, str]) -> Answer | None:
        """Returns the answer to a preflight request; None for any other request.

        The gateway answers it without invoking a function (API Gateway, "Configure CORS").
        """
        is_preflight = "origin" in headers and _PREFIX + "request-method" in headers
        if method != "OPTIONS" or not is_preflight:
            return None
        allowed = self._allowed(headers["origin"])
        preflight = {
            _PREFIX + "allow-methods": ",".join(self.methods),
            _PREFIX + "allow-headers": ",".join(self.headers),
            _PREFIX + "max-age": str(self.max_age_seconds),
        }
        return Answer(204, {**allowed, **preflight} if allowed else {}, b"")

    def with_cors(self, origin: str | None, answer: Answer) -> Answer:
        """Returns the answer with the gateway's CORS headers and without any of the function's."""
        headers = {k: v for k, v in answer.headers.items() if not k.lower().startswith(_PREFIX)}
        allowed = self._allowed(origin) if origin else {}
        if allowed:
            allowed[_PREFIX + "expose-headers"] = ",".join(self.exposed)
        return Answer(answer.status, {**headers, **allowed}, answer.body)

    def _allowed(self, origin: str) -> dict[str, str]:
        if "*" in self.origins:
            return {_PREFIX + "allow-origin": "*"}
        return {_PREFIX + "allow-origin": origin} if origin in self.origins else {}


def cors_of_template() -> Cors:
    """Returns the template's configuration, with each parameter at its default."""
    (api,) = resources("AWS::Serverless::HttpApi").values()
    configured = api["CorsConfiguration"]
    origins = parameter_defaults()[configured["AllowOrigins"]["Ref"]]
    return Cors(
        origins=tuple(origins.split(",")),
        methods=tuple(configured["AllowMethods"]),
        headers=tuple(configured["AllowHeaders"]),
        exposed=tuple(configured["ExposeHeaders"]),
        max_age_seconds=configured["MaxAge"],
    )
