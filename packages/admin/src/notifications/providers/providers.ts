import { datadog } from "./datadog.ts";
import type { Provider } from "./provider.ts";
import { slack } from "./slack.ts";
import { teamsWorkflow } from "./teams-workflow.ts";
import { webhook } from "./webhook.ts";

/** All kinds of receivers. To add one, add a file to this folder. */
export const PROVIDERS: readonly Provider[] = [slack, teamsWorkflow, webhook, datadog];

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}
