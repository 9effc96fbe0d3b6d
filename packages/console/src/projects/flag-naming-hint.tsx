import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { ProjectSettings } from "../api/types.ts";

type FlagNaming = NonNullable<ProjectSettings["featureNaming"]>;

/** Says how flags of a project are named. */
export function FlagNamingHint({ naming }: { readonly naming: FlagNaming }) {
  const { pattern, example, description } = naming;
  return (
    <p className="naming-hint">
      {description === null ? null : <>{description} </>}
      Names of new flags match <code>{pattern}</code>
      {example === null ? null : (
        <>
          , for example <code>{example}</code>
        </>
      )}
      .
    </p>
  );
}

/** Says how new flags of a project must be named, if there is a rule. */
export function ProjectNamingHint({ project }: { readonly project: string }) {
  const { data } = useQuery(queries.project(project));
  const naming = data?.value.featureNaming ?? null;
  return naming === null ? null : <FlagNamingHint naming={naming} />;
}

/** The fields of dialogs for new flags that show what the service says about them. */
export const NEW_FLAG_SUBJECTS = { name: "The name" };
