import { ENVIRONMENT, PROJECT } from "./settings.mjs";

/** Explains what to do next, with commands to paste. */
export function instructions(settings, keys) {
  const { adminUrl, proxyUrl, pageUrl, directory, hasProxyDocs } = settings;
  const client = `curl -sS -H 'Authorization: ${keys.clientKey}'`;
  return `
  Console        ${describeConsole(adminUrl, keys)}
  Demo page      ${pageUrl}
                 shows what an app gets
  Admin API      ${adminUrl}/docs/openapi${hasProxyDocs ? `\n  Proxy API      ${pageUrl}docs/openapi` : ""}
  Documentation  README.md, docs/

  Client key     ${keys.clientKey}
                 for browsers and apps, at ${proxyUrl}
  Backend token  ${keys.proxyToken}
                 for server SDKs, at ${adminUrl}/api
  Admin token    ${keys.adminToken}
                 for the console and the admin API

Which flags are on for user 1 with the plan pro?

  ${client} -g '${proxyUrl}?userId=1&properties[plan]=pro'

Turn old-checkout on, and show its new state:

  ${switchCommand(settings, keys, "on")}

Turn it off again:

  ${switchCommand(settings, keys, "off")}

The tokens were generated for this installation. They and the data are stored in
${directory}
`;
}

function describeConsole(adminUrl, { consoleLink, adminToken }) {
  if (consoleLink === undefined) {
    return `${adminUrl}/
                 sign in with the token ${adminToken}`;
  }
  return `${consoleLink}
                 signs you in, once within 24 hours; npm start prints another one`;
}

/** The proxy receives the change within a second. Then the command requests the flag from it. */
function switchCommand({ adminUrl, proxyUrl }, { adminToken, clientKey }, state) {
  const flag = `${adminUrl}/api/admin/projects/${PROJECT}/features/old-checkout`;
  const change = `curl -fsS -X POST -H 'Authorization: ${adminToken}' ${flag}/environments/${ENVIRONMENT}/${state}`;
  const body = JSON.stringify({ toggles: ["old-checkout"], context: {} });
  const read = `curl -sS -H 'Authorization: ${clientKey}' -H 'Content-Type: application/json' -d '${body}' ${proxyUrl}`;
  return `${change} && sleep 1 && ${read}`;
}
