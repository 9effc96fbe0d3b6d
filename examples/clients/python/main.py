from UnleashClient import UnleashClient

client = UnleashClient(
    url="http://127.0.0.1:4242/api",
    app_name="shop",
    custom_headers={"Authorization": "the-backend-token-printed-by-npm-start"},
)
client.initialize_client()  # Returns when the flags have been loaded.

context = {"userId": "7"}
is_new = client.is_enabled("new-header", context)
colour = client.get_variant("button-colour", context)["name"]
print(f"new-header: {is_new}, button-colour: {colour}")

client.destroy()  # When the program ends: sends the last usage report.
