import { EXIT_USAGE, SubcommandError } from "flags-server-kit/command-line";
import type { CreateToken } from "../access/token-schemas.ts";
import type { Command, CommandOptions } from "./command.ts";
import { checkBody, namingOptions } from "./read-options.ts";

export const CREATE_TOKEN: Command = {
  name: "create-token",
  summary: "Creates an API token, such as the first admin token",
  description: [
    "Creates an API token and prints it. Only a hash of it is stored, so it cannot be printed again. Uses DATABASE_URL or DATA_DIR; the service can keep running.",
  ],
  options: {
    name: { value: "NAME", description: "Required. Says what the token is for." },
    type: {
      value: "TYPE",
      description:
        "Required. admin, editor or viewer for the console and the admin API, backend for server SDKs and proxies, or frontend for browsers and mobile apps.",
    },
    project: {
      value: "PROJECTS",
      description:
        "Projects that an SDK with the token can read, separated by commas. Default: all projects, including future ones.",
    },
    environment: {
      value: "NAME",
      description: "Environment that an SDK with the token can read. Default: development.",
    },
    expires: {
      value: "TIME",
      description:
        "When the token expires, such as 2027-01-31 or 2027-01-31T12:00:00Z, or in how many days, such as 90d. Default: never.",
    },
  },
  exitCodes: ["The token was created and printed.", "No token was created: the message says why."],
  run: async ({ storage }, options, output) => {
    const [{ createToken }, { SYSTEM_ACTOR }] = await Promise.all([
      import("../access/token-store.ts"),
      import("../storage/events.ts"),
    ]);
    const { secret } = await namingOptions(OPTION_BY_PROPERTY, async () => {
      const body = await readBody(options);
      return storage.write(SYSTEM_ACTOR, (transaction) => createToken(transaction, body));
    });
    output.write(`${secret}\n`);
  },
};

/** The option from which each property of the request of the admin API is read. */
const OPTION_BY_PROPERTY: Readonly<Record<keyof CreateToken, string>> = {
  tokenName: "name",
  type: "type",
  environment: "environment",
  project: "project",
  projects: "project",
  expiresAt: "expires",
};

async function readBody({
  name,
  type,
  project,
  environment,
  expires,
}: CommandOptions): Promise<CreateToken> {
  const { CreateTokenBody } = await import("../access/token-schemas.ts");
  return checkBody(CreateTokenBody, {
    ...(name !== undefined && { tokenName: name }),
    ...(type !== undefined && { type }),
    ...(typeof project === "string" && { projects: project.split(",").map((id) => id.trim()) }),
    ...(environment !== undefined && { environment }),
    ...(typeof expires === "string" && { expiresAt: toDateTime(expires) }),
  });
}

const MS_PER_DAY = 86_400_000;
const MAX_DAYS = 36_500;

/** Returns the time as the admin API expects it. */
function toDateTime(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined && Number(days) >= 1 && Number(days) <= MAX_DAYS) {
    return new Date(Date.now() + Number(days) * MS_PER_DAY).toISOString();
  }
  const dateTime = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  // NOTE: with its time zone, because the service may have another one than the shell.
  const isDateTime = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(dateTime);
  const time = isDateTime ? Date.parse(dateTime) : Number.NaN;
  if (!(time > Date.now())) {
    throw new SubcommandError(
      `--expires must be a time in the future, such as 2027-01-31 or 2027-01-31T12:00:00Z, or a number of days from 1d to ${MAX_DAYS}d: current value is ${JSON.stringify(text)}`,
      EXIT_USAGE,
    );
  }
  return new Date(time).toISOString();
}
