require "unleash"
require "unleash/context"

unleash = Unleash::Client.new(
  url: "http://127.0.0.1:4242/api",
  app_name: "shop",
  custom_http_headers: { "Authorization" => "the-backend-token-printed-by-npm-start" }
) # Returns when the flags have been loaded.

context = Unleash::Context.new(user_id: "7")
is_new = unleash.is_enabled?("new-header", context)
colour = unleash.get_variant("button-colour", context).name
puts "new-header: #{is_new}, button-colour: #{colour}"

unleash.shutdown # When the program ends: sends the last usage report.
