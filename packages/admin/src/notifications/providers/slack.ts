import { GUIDE, placeOf, type Provider, shorten } from "./provider.ts";

/** Slack cuts longer texts. */
const MAX_LENGTH = 3000;

/** For the link and the place, which are added to the sentence. */
const MAX_SENTENCE_LENGTH = 2000;

export const slack: Provider = {
  name: "slack",
  displayName: "Slack",
  description: "Posts messages in a channel, with an incoming webhook of a Slack app.",
  documentationUrl: GUIDE,
  parameters: [
    {
      name: "url",
      displayName: "Webhook URL",
      type: "url",
      description: "The address of the incoming webhook, which belongs to one channel.",
      placeholder: "https://hooks.slack.com/services/…",
      required: true,
      sensitive: true,
    },
  ],
  isSigned: false,
  urlOf: ({ url = "" }) => url,
  write: ({ event, text, link }, { url = "" }) => {
    const place = placeOf(event);
    const lines = [
      escape(shorten(text, MAX_SENTENCE_LENGTH)),
      [
        ...(place === "" ? [] : [escape(place)]),
        ...(link === undefined ? [] : [`<${escape(link)}|Open>`]),
      ].join(" · "),
    ];
    return {
      url,
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify({
        text: shorten(lines.filter((line) => line !== "").join("\n"), MAX_LENGTH),
      }),
    };
  },
};

/** Slack gives these characters a meaning, for example in <!channel>, which notifies everyone. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
