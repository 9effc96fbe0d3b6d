from threading import Event

from UnleashClient import UnleashClient
from UnleashClient.events import UnleashEventType

ready = Event()


def on_event(event):
    if event.event_type == UnleashEventType.READY:
        ready.set()


client = UnleashClient(
    url="http://127.0.0.1:4242/api",
    app_name="shop",
    custom_headers={"Authorization": "the-backend-token-printed-by-npm-start"},
    experimental_mode={"type": "streaming"},
    event_callback=on_event,
)
client.initialize_client()
ready.wait(timeout=10)  # initialize_client does not wait for the flags.

context = {"userId": "7"}
is_new = client.is_enabled("new-header", context)
colour = client.get_variant("button-colour", context)["name"]
print(f"new-header: {is_new}, button-colour: {colour}")

client.destroy()  # When the program ends: sends the last usage report.
