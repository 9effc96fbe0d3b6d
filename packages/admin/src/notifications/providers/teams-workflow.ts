import { GUIDE, placeOf, type Provider, shorten } from "./provider.ts";

/** Teams accepts cards of 28 KiB. A character takes up to 6 bytes as JSON. */
const MAX_LENGTH = 4000;

export const teamsWorkflow: Provider = {
  name: "teams-workflow",
  displayName: "Microsoft Teams",
  description: "Posts cards in a channel or a chat, with a workflow of Teams.",
  documentationUrl: GUIDE,
  parameters: [
    {
      name: "url",
      displayName: "Workflow URL",
      type: "url",
      description: "The address that the workflow “Send webhook alerts to a channel” shows.",
      required: true,
      sensitive: true,
    },
  ],
  isSigned: false,
  urlOf: ({ url = "" }) => url,
  write: ({ event, text, link }, { url = "" }) => {
    const place = placeOf(event);
    return {
      url,
      headers: { "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify({
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            content: {
              $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
              type: "AdaptiveCard",
              version: "1.5",
              body: [
                paragraph(shorten(text, MAX_LENGTH)),
                ...(place === "" ? [] : [paragraph(place, { isSubtle: true, size: "Small" })]),
              ],
              ...(link !== undefined && {
                actions: [{ type: "Action.OpenUrl", title: "Open", url: link }],
              }),
            },
          },
        ],
      }),
    };
  },
};

/** NOTE: other elements interpret Markdown, so that somebody could hide the address of a link in the name of a flag. */
function paragraph(text: string, style: object = {}): object {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...style }] };
}
