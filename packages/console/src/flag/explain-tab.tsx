import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Link2 } from "lucide-react";
import { useMemo, useRef } from "react";
import { queries } from "../api/queries.ts";
import type { ContextValues } from "../api/request-context.ts";
import type { Evaluation, Flag } from "../api/types.ts";
import { fieldsOfFlag } from "../playground/context.ts";
import { ContextForm, EnvironmentChoice } from "../playground/context-form.tsx";
import { Explanation } from "../playground/explanation.tsx";
import { showResults } from "../ui/scroll.ts";
import {
  type ContextSearch,
  copyAddress,
  useContextAddress,
} from "../playground/context-address.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { joinWithAnd } from "../ui/words.ts";

interface ExplainTabProps {
  readonly project: string;
  readonly flag: string;
}

/** Explains why a flag is on or off for a context. */
export function ExplainTab({ project, flag }: ExplainTabProps) {
  const query = useQuery(queries.flag(project, flag));
  return <Loaded query={query}>{(data) => <Explanations key={flag} flag={data} />}</Loaded>;
}

function Explanations({ flag }: { readonly flag: Flag }) {
  const { data: segments = [] } = useQuery(queries.segments());
  const suggested = useMemo(
    () => [...new Set(["userId", ...fieldsOfFlag(flag, segments)])],
    [flag, segments],
  );
  const environments = flag.environments.map(({ name }) => name);
  const { context, selected } = useContextAddress(environments);
  const navigate = useNavigate();
  const place = useRef<HTMLDivElement>(null);
  const change = (search: ContextSearch): void => {
    void navigate({
      to: "/projects/$project/flags/$flag",
      params: { project: flag.project, flag: flag.name },
      search: (current) => ({ ...current, ...search }),
      replace: true,
      resetScroll: false,
    });
  };
  const results = useQueries({
    queries: selected.map((name) => queries.evaluation(name, context, [flag.name])),
  });

  if (environments.length === 0) {
    return (
      <Empty title="There is nothing to explain yet">
        <p>The project of this flag has no environments, so no application receives it.</p>
      </Empty>
    );
  }
  return (
    <div className="explain">
      <ContextForm
        description="What an application knows about its user. The rules of this flag use these fields."
        suggested={suggested}
        context={context}
        submit="Explain"
        isPending={results.some(({ isFetching }) => isFetching)}
        onSubmit={(next) => {
          showResults(place.current);
          change({ context: next });
        }}
      >
        <EnvironmentChoice
          environments={environments}
          selected={selected}
          onChange={(next) => change({ in: next })}
        />
      </ContextForm>
      <div className="explain-results" ref={place}>
        <p className="explain-context">{describeContext(context)}</p>
        {selected.map((name, index) => (
          <section key={name} className="card card-body" aria-labelledby={`explain-${name}`}>
            <h2 id={`explain-${name}`} className="explain-heading">
              {name}
            </h2>
            <ResultOf query={results[index]} />
          </section>
        ))}
        <div className="explain-link">
          <Button size="small" onPress={() => void copyAddress()}>
            <Link2 aria-hidden /> Copy a link to this explanation
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Says for whom the results are: what the form contains may not have been sent yet. */
function describeContext(context: ContextValues): string {
  const values = Object.entries(context)
    .filter(([, value]) => value !== "")
    .map(([field, value]) => `${field} = ${value}`);
  return values.length === 0
    ? "For an empty context, as if the application knew nothing about its user. Fill in the form to see what a certain user gets."
    : `For ${joinWithAnd(values)}.`;
}

type EvaluationQuery = Parameters<typeof Loaded<readonly Evaluation[]>>[0]["query"];

function ResultOf({ query }: { readonly query: EvaluationQuery | undefined }) {
  if (query === undefined) return null;
  return (
    <Loaded query={query}>
      {([evaluation]) =>
        evaluation === undefined ? (
          <p className="muted">Applications do not receive the flag in this environment.</p>
        ) : (
          <Explanation evaluation={evaluation} />
        )
      }
    </Loaded>
  );
}
