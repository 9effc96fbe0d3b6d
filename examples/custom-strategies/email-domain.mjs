// A custom strategy in an ES module. A file can contain any number of strategies.
//
// Strategy "emailDomain", parameter "domains": on for users whose property email ends in one of
// these domains, for example "example.com,example.org".

import { Strategy } from "flags-proxy";

class EmailDomainStrategy extends Strategy {
  constructor() {
    super("emailDomain");
  }

  isEnabled(parameters, context) {
    const domain = String(context.properties?.email ?? "").split("@")[1];
    return domain !== undefined && (parameters.domains ?? "").split(",").includes(domain);
  }
}

// oxlint-disable-next-line import/no-default-export -- the proxy reads the default export
export default [new EmailDomainStrategy()];
