import { CUSTOM_HEADERS, readCustomHeaders } from "./custom-headers.ts";
import { GUIDE, type Parameters, type Provider, shorten } from "./provider.ts";

const DEFAULT_URL = "https://api.datadoghq.com/api/v1/events";
const MAX_TITLE_LENGTH = 100;
const MAX_TEXT_LENGTH = 4000;

export const datadog: Provider = {
  name: "datadog",
  displayName: "Datadog",
  description: "Adds events to the event stream, which dashboards and monitors show.",
  documentationUrl: GUIDE,
  parameters: [
    {
      name: "apiKey",
      displayName: "API key",
      type: "text",
      description: "An API key of your organization.",
      required: true,
      sensitive: true,
    },
    {
      name: "url",
      displayName: "URL",
      type: "url",
      description: `Where events are sent, if your organization is on another site than US1. Default: ${DEFAULT_URL}`,
      placeholder: "https://api.datadoghq.eu/api/v1/events",
      required: false,
      sensitive: false,
    },
    {
      name: "sourceTypeName",
      displayName: "Source type",
      type: "text",
      description: "What Datadog shows as the source, if anything.",
      required: false,
      sensitive: false,
    },
    CUSTOM_HEADERS,
  ],
  isSigned: false,
  urlOf: toUrl,
  write: ({ event, text, link }, parameters) => {
    const { apiKey = "", sourceTypeName = "" } = parameters;
    const { type, project, environment, featureName } = event;
    const tags = { event: type, project, environment, flag: featureName };
    return {
      url: toUrl(parameters),
      headers: {
        ...readCustomHeaders(parameters),
        "content-type": "application/json; charset=utf-8",
        "dd-api-key": apiKey,
      },
      body: JSON.stringify({
        title: shorten(text, MAX_TITLE_LENGTH),
        text: [shorten(text, MAX_TEXT_LENGTH - 500), ...(link === undefined ? [] : [link])].join(
          "\n",
        ),
        tags: Object.entries(tags).flatMap(([name, value]) =>
          value === null ? [] : `${name}:${value}`,
        ),
        ...(sourceTypeName !== "" && { source_type_name: sourceTypeName }),
      }),
    };
  },
};

function toUrl({ url = "" }: Parameters): string {
  return url === "" ? DEFAULT_URL : url;
}
