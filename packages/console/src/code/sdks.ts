/** What a program needs to know about a flag. */
export interface CodeOptions {
  readonly flag: string;
  /** The names of its variants; none if it has no variants. */
  readonly variants: readonly string[];
  /** Address from which backends read the definitions. */
  readonly backendUrl: string;
  /** Address of the proxy, from which front ends read their flags. */
  readonly frontendUrl: string;
  readonly backendToken: string;
  readonly frontendToken: string;
}

/** Code that uses a flag with an official SDK. */
export interface Sdk {
  readonly label: string;
  readonly kind: "Front ends" | "Backends";
  /** How to install it. */
  readonly install: string;
  readonly write: (options: CodeOptions) => string;
}

export type SdkId = "javascript" | "react" | "vue" | "node" | "java" | "python" | "go" | "dotnet";

/**
 * The SDKs that applications use most.
 *
 * NOTE: a test compares each line with the examples that CI runs with these SDKs.
 */
export const SDKS: Readonly<Record<SdkId, Sdk>> = {
  javascript: {
    label: "JavaScript in the browser",
    kind: "Front ends",
    install: "npm install unleash-proxy-client",
    write: ({ flag, variants, frontendUrl, frontendToken }) =>
      lines(
        `import { UnleashClient } from "unleash-proxy-client";`,
        ``,
        `const client = new UnleashClient({`,
        `  url: ${quote(frontendUrl)},`,
        `  clientKey: ${quote(frontendToken)},`,
        `  appName: "web",`,
        `  context: { userId: "7" },`,
        `});`,
        ``,
        `function render() {`,
        `  const isOn = client.isEnabled(${quote(flag)});`,
        ...ifAny(variants, `  const variant = client.getVariant(${quote(flag)}).name;`, "  // "),
        `  console.log(${printed(flag, "isOn", variants)});`,
        `}`,
        ``,
        `client.on("ready", render);`,
        `client.on("update", render);`,
        `client.on("error", console.error);`,
        `await client.start();`,
      ),
  },
  react: {
    label: "React",
    kind: "Front ends",
    install: "npm install @unleash/proxy-client-react unleash-proxy-client",
    write: ({ flag, variants, frontendUrl, frontendToken }) =>
      lines(
        `import { ${["FlagProvider", "useFlag", "useFlagsStatus", ...ifAny(variants, "useVariant")].join(", ")} } from "@unleash/proxy-client-react";`,
        `import { createRoot } from "react-dom/client";`,
        ``,
        `const config = {`,
        `  url: ${quote(frontendUrl)},`,
        `  clientKey: ${quote(frontendToken)},`,
        `  appName: "web",`,
        `  context: { userId: "7" },`,
        `};`,
        ``,
        `function Flags() {`,
        `  const { flagsReady } = useFlagsStatus();`,
        `  const isOn = useFlag(${quote(flag)});`,
        ...ifAny(variants, `  const variant = useVariant(${quote(flag)}).name;`, "  // "),
        `  if (!flagsReady) return "Loading";`,
        `  return isOn ? "on" : "off";`,
        `}`,
        ``,
        `createRoot(document.querySelector("#app")).render(`,
        `  <FlagProvider config={config}>`,
        `    <Flags />`,
        `  </FlagProvider>,`,
        `);`,
      ),
  },
  vue: {
    label: "Vue",
    kind: "Front ends",
    install: "npm install @unleash/proxy-client-vue",
    write: ({ flag, variants, frontendUrl, frontendToken }) =>
      lines(
        `// main.js`,
        `import { plugin } from "@unleash/proxy-client-vue";`,
        `import { createApp } from "vue";`,
        `import App from "./App.vue";`,
        ``,
        `const config = {`,
        `  url: ${quote(frontendUrl)},`,
        `  clientKey: ${quote(frontendToken)},`,
        `  appName: "web",`,
        `  context: { userId: "7" },`,
        `};`,
        ``,
        `createApp(App).use(plugin, { config }).mount("#app");`,
        ``,
        `<!-- App.vue -->`,
        `<script setup>`,
        `import { ${["useFlag", "useFlagsStatus", ...ifAny(variants, "useVariant")].join(", ")} } from "@unleash/proxy-client-vue";`,
        ``,
        `const { flagsReady } = useFlagsStatus();`,
        `const isOn = useFlag(${quote(flag)});`,
        ...ifAny(
          variants,
          `const variant = useVariant(${quote(flag)});`,
          "// variant.value.name: ",
        ),
        `</script>`,
        ``,
        `<template>`,
        `  <span v-if="flagsReady">{{ isOn ? "on" : "off" }}</span>`,
        `  <span v-else>Loading</span>`,
        `</template>`,
      ),
  },
  node: {
    label: "Node",
    kind: "Backends",
    install: "npm install unleash-client",
    write: ({ flag, variants, backendUrl, backendToken }) =>
      lines(
        `import { startUnleash } from "unleash-client";`,
        ``,
        `// Resolves when the flags have been loaded.`,
        `const unleash = await startUnleash({`,
        `  url: ${quote(backendUrl)},`,
        `  appName: "shop",`,
        `  customHeaders: { Authorization: ${quote(backendToken)} },`,
        `});`,
        ``,
        `const context = { userId: "7" };`,
        `const isOn = unleash.isEnabled(${quote(flag)}, context);`,
        ...ifAny(
          variants,
          `const variant = unleash.getVariant(${quote(flag)}, context).name;`,
          "// ",
        ),
        `console.log(${printed(flag, "isOn", variants)});`,
      ),
  },
  java: {
    label: "Java",
    kind: "Backends",
    install: lines(
      `<dependency>`,
      `  <groupId>io.getunleash</groupId>`,
      `  <artifactId>unleash-client-java</artifactId>`,
      `  <version>12.2.3</version>`,
      `</dependency>`,
    ),
    write: ({ flag, variants, backendUrl, backendToken }) =>
      lines(
        `import io.getunleash.DefaultUnleash;`,
        `import io.getunleash.UnleashContext;`,
        `import io.getunleash.util.UnleashConfig;`,
        ``,
        `public class Main {`,
        `  public static void main(String[] args) {`,
        `    var config =`,
        `        UnleashConfig.builder()`,
        `            .unleashAPI(${quote(backendUrl)})`,
        `            .appName("shop")`,
        `            .apiKey(${quote(backendToken)})`,
        `            .synchronousFetchOnInitialisation(true) // The constructor waits for the flags.`,
        `            .build();`,
        `    var unleash = new DefaultUnleash(config);`,
        ``,
        `    var context = UnleashContext.builder().userId("7").build();`,
        `    var isOn = unleash.isEnabled(${quote(flag)}, context);`,
        ...ifAny(
          variants,
          `    var variant = unleash.getVariant(${quote(flag)}, context).getName();`,
          "    // ",
        ),
        `    System.out.println(${printed(flag, "isOn", variants, ` + " " + `)});`,
        `  }`,
        `}`,
      ),
  },
  python: {
    label: "Python",
    kind: "Backends",
    install: "pip install UnleashClient",
    write: ({ flag, variants, backendUrl, backendToken }) =>
      lines(
        `from UnleashClient import UnleashClient`,
        ``,
        `client = UnleashClient(`,
        `    url=${quote(backendUrl)},`,
        `    app_name="shop",`,
        `    custom_headers={"Authorization": ${quote(backendToken)}},`,
        `)`,
        `client.initialize_client()  # Returns when the flags have been loaded.`,
        ``,
        `context = {"userId": "7"}`,
        `is_on = client.is_enabled(${quote(flag)}, context)`,
        ...ifAny(variants, `variant = client.get_variant(${quote(flag)}, context)["name"]`, "# "),
        `print(${printed(flag, "is_on", variants)})`,
      ),
  },
  go: {
    label: "Go",
    kind: "Backends",
    install: "go get github.com/Unleash/unleash-go-sdk/v6",
    write: ({ flag, variants, backendUrl, backendToken }) =>
      lines(
        `package main`,
        ``,
        `import (`,
        `\t"fmt"`,
        `\t"net/http"`,
        ``,
        `\t"github.com/Unleash/unleash-go-sdk/v6"`,
        `\t"github.com/Unleash/unleash-go-sdk/v6/context"`,
        `)`,
        ``,
        `func main() {`,
        `\terr := unleash.Initialize(`,
        `\t\tunleash.WithUrl(${quote(backendUrl)}),`,
        `\t\tunleash.WithAppName("shop"),`,
        `\t\tunleash.WithCustomHeaders(http.Header{`,
        `\t\t\t"Authorization": {${quote(backendToken)}},`,
        `\t\t}),`,
        `\t\tunleash.WithListener(&unleash.DebugListener{}),`,
        `\t)`,
        `\tif err != nil {`,
        `\t\tpanic(err)`,
        `\t}`,
        `\tunleash.WaitForReady()`,
        ``,
        `\tuser := context.Context{UserId: "7"}`,
        `\tisOn := unleash.IsEnabled(${quote(flag)}, unleash.FeatureOptions{Ctx: user})`,
        ...ifAny(
          variants,
          `\tvariant := unleash.GetVariant(${quote(flag)}, unleash.VariantOptions{Ctx: user}).Name`,
          "\t// ",
        ),
        // Go does not compile unused variables.
        `\tfmt.Println(${printed(flag, "isOn", variants)})`,
        `}`,
      ),
  },
  dotnet: {
    label: ".NET",
    kind: "Backends",
    install: "dotnet add package Unleash.Client",
    write: ({ flag, variants, backendUrl, backendToken }) =>
      lines(
        `using Unleash;`,
        `using Unleash.ClientFactory;`,
        ``,
        `var settings = new UnleashSettings()`,
        `{`,
        `    AppName = "shop",`,
        // Without the slash at the end, .NET would replace the last part of the path.
        `    UnleashApi = new Uri(${quote(`${backendUrl}/`)}),`,
        `    CustomHttpHeaders = new Dictionary<string, string>()`,
        `    {`,
        `        { "Authorization", ${quote(backendToken)} }`,
        `    }`,
        `};`,
        `// Returns when the flags have been loaded, or throws an exception.`,
        `IUnleash unleash = await new UnleashClientFactory()`,
        `    .CreateClientAsync(settings, synchronousInitialization: true);`,
        ``,
        `var context = new UnleashContext { UserId = "7" };`,
        `var isOn = unleash.IsEnabled(${quote(flag)}, context);`,
        ...ifAny(
          variants,
          `var variant = unleash.GetVariant(${quote(flag)}, context).Name;`,
          "// ",
        ),
        `Console.WriteLine(${printed(flag, "isOn", variants, ` + " " + `)});`,
      ),
  },
};

/** Whether this is the id of an SDK. */
export function isSdkId(id: string): id is SdkId {
  return Object.hasOwn(SDKS, id);
}

function lines(...texts: readonly string[]): string {
  return texts.join("\n");
}

/** A string in the syntax that all of these languages share. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/** What the code prints, so that running it shows the result. */
function printed(
  flag: string,
  isOn: string,
  variants: readonly string[],
  separator: string = ", ",
): string {
  return [quote(flag), isOn, ...ifAny(variants, "variant")].join(separator);
}

/** How many variants a comment lists. */
const SHOWN_VARIANTS = 5;

/** Returns the line if there are variants, after a comment that lists them if it has a beginning. */
function ifAny(variants: readonly string[], line: string, comment?: string): readonly string[] {
  if (variants.length === 0) return [];
  if (comment === undefined) return [line];
  const listed = variants.slice(0, SHOWN_VARIANTS).map((name) => quote(name));
  const others =
    variants.length > SHOWN_VARIANTS ? [`${variants.length - SHOWN_VARIANTS} others`] : [];
  return [`${comment}${[...listed, ...others].join(", ")}, or "disabled" if the flag is off`, line];
}
