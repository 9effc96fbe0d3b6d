import { ENVIRONMENT, PROJECT } from "./settings.mjs";

/** Explains what to do next, with commands to paste. */
export function instructions({ adminUrl, proxyUrl, pageUrl, directory }, keys) {
  const request = `curl -H 'Authorization: ${keys.clientKey}'`;
  const change = `curl -X POST -H 'Authorization: ${keys.adminToken}'`;
  const flag = `${adminUrl}/api/admin/projects/${PROJECT}/features/old-checkout`;
  return `
Everything is ready. View and switch the flags in your browser:

  ${pageUrl}

Or use curl. Which flags are on for user 1 with the plan pro?

  ${request} -g '${proxyUrl}?userId=1&properties[plan]=pro'

Switch old-checkout on through the admin API, wait a second, and request the flags again:

  ${change} ${flag}/environments/${ENVIRONMENT}/on

  ${request} '${proxyUrl}?userId=1'

Switch it off again:

  ${change} ${flag}/environments/${ENVIRONMENT}/off

These keys were generated for this machine. Both services listen on 127.0.0.1 only. Keys and data are
stored in ${directory}.

Press Ctrl-C to stop both.
`;
}
