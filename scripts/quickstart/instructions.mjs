import { ENVIRONMENT, PROJECT } from "./settings.mjs";

/** What to do next, with commands to paste. */
export function instructions({ adminUrl, proxyUrl, pageUrl, directory }, keys) {
  const ask = `curl -H 'Authorization: ${keys.clientKey}'`;
  const change = `curl -X POST -H 'Authorization: ${keys.adminToken}'`;
  const flag = `${adminUrl}/api/admin/projects/${PROJECT}/features/old-checkout`;
  return `
Everything is ready. See and flip the flags in your browser:

  ${pageUrl}

Or by hand. Which flags are on for user 1 on the plan pro?

  ${ask} -g '${proxyUrl}?userId=1&properties[plan]=pro'

Switch old-checkout on through the admin API, wait a second, and ask the proxy again:

  ${change} ${flag}/environments/${ENVIRONMENT}/on

  ${ask} '${proxyUrl}?userId=1'

And off again:

  ${change} ${flag}/environments/${ENVIRONMENT}/off

The keys above are for this machine alone: they were made by the first start, nothing listens
beyond 127.0.0.1, and they are kept with the data in ${directory}.

Ctrl-C stops everything.
`;
}
