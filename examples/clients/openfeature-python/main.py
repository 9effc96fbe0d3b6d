from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider_and_wait(
    OFREPProvider(
        "http://127.0.0.1:3000",
        headers_factory=lambda: {"Authorization": "Bearer demo-web-key"},
    )
)
client = api.get_client()

context = EvaluationContext(targeting_key="7")
is_new = client.get_boolean_value("new-header", False, context)
colour = client.get_boolean_details("button-colour", False, context).variant
print(f"new-header: {is_new}, button-colour: {colour}")
