import { API } from "typescript/unstable/sync";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SETTINGS } from "../src/config/settings.ts";
import { makeFiles } from "./_settings-files.ts";

const SETTINGS_WITH_OPTION = Object.values(SETTINGS).flatMap((setting) =>
  setting.option === undefined ? [] : [{ ...setting, option: setting.option }],
);

test("editors show the description and the variable of every option in the published types", () => {
  const lines = SETTINGS_WITH_OPTION.map(
    ({ option }) => `options.${option.replaceAll(".", "?.")};`,
  );
  const types = join(import.meta.dirname, "../dist/index.js");
  const program = [
    `import type { ProxyOptions } from ${JSON.stringify(types)};`,
    "declare const options: ProxyOptions;",
    ...lines,
  ].join("\n");
  const compilerOptions = { module: "nodenext", strict: true, skipLibCheck: true, types: [] };
  const pathOf = makeFiles({
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["program.ts"] }),
    "program.ts": program,
  });
  const compiler = new API();
  onTestFinished(() => compiler.close());
  const snapshot = compiler.updateSnapshot({ openProject: pathOf("tsconfig.json") });
  const project = snapshot.getProject(pathOf("tsconfig.json"));
  if (project === undefined) throw new Error("The project was not opened");
  const file = pathOf("program.ts");
  expect(project.program.getSemanticDiagnostics(file)).toEqual([]);
  const ends = lines.map((line) => program.indexOf(line) + line.length - 2);
  const comments = project.checker
    .getSymbolAtPosition(file, ends)
    .map((symbol) => symbol?.getDocumentationComment(project.checker));
  for (const [index, { option, description, variables }] of SETTINGS_WITH_OPTION.entries()) {
    // Members of an object with any names have no comments.
    if (option === "expBootstrap.urlHeaders.Authorization") continue;
    expect(comments[index]).toContain(description);
    for (const variable of variables) expect(comments[index]).toContain(`\`${variable}\``);
  }
});
