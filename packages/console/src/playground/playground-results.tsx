import { Link } from "@tanstack/react-router";
import { Fragment, useId, useMemo, useState } from "react";
import { ChevronDown, ChevronRight } from "lucide-react";
import type { PlaygroundInput } from "../api/queries.ts";
import type { PlaygroundFlag } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RESULT_FIELDS } from "../app/list-fields.ts";
import { SearchField } from "../ui/fields.tsx";
import { ownValue } from "../ui/own-value.ts";
import { useListState } from "../ui/use-list-state.ts";
import { Select } from "../ui/select.tsx";
import { Explanation } from "./explanation.tsx";
import {
  countOutcomes,
  describeCombination,
  type EnvironmentResult,
  filterResults,
  type ResultFilter,
  resultsOf,
  variedFields,
} from "./filter-results.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { describeShown, formatCount } from "../ui/numbers.ts";

const FILTERS: readonly { readonly id: ResultFilter; readonly label: string }[] = [
  { id: "all", label: "All results" },
  { id: "on", label: "On" },
  { id: "off", label: "Off" },
  { id: "variant", label: "With a variant" },
  { id: "different", label: "Different results" },
];

/** How many flags are shown at first, and how many more each time. */
const STEP = 100;

interface PlaygroundResultsProps {
  readonly flags: readonly PlaygroundFlag[];
  readonly input: PlaygroundInput;
}

/** The results of all flags, each with its explanation on demand. */
export function PlaygroundResults({ flags, input }: PlaygroundResultsProps) {
  const [{ query, show, shown }, changeList] = useListState(RESULT_FIELDS);
  const limit = Math.max(STEP, Number.parseInt(shown, 10) || 0);
  const matching = useMemo(() => filterResults(flags, { query, show }), [flags, query, show]);

  if (flags.length === 0) {
    return (
      <Empty title="There are no flags to evaluate">
        <p>The chosen projects and environments have no flags.</p>
      </Empty>
    );
  }
  return (
    <>
      <div className="playground-filters" role="search">
        <SearchField
          label="Search by name"
          value={query}
          onChange={(text) => changeList({ query: text })}
        />
        <Select
          label="Result"
          hidesLabel
          choices={FILTERS}
          value={show}
          onChange={(id) => changeList({ show: id })}
        />
      </div>
      <p className="muted playground-count" role="status">
        {describeShown(matching.length, flags.length, "flag")}
      </p>
      {matching.length === 0 ? (
        <Empty title="No flag matches">
          <Button onPress={() => changeList({ query: "", show: "all" })}>Show all flags</Button>
        </Empty>
      ) : (
        <div className="card table-scroll" tabIndex={0} role="region" aria-label="Results">
          <table className="table playground-table">
            <thead>
              <tr>
                <th scope="col">Flag</th>
                {input.environments.map((name) => (
                  <th key={name} scope="col">
                    <span className="playground-environment">{name}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {matching.slice(0, limit).map((flag) => (
                <FlagResult key={flag.name} flag={flag} input={input} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {matching.length > limit ? (
        <div>
          <Button onPress={() => changeList({ shown: String(limit + STEP) })}>
            Show {Math.min(STEP, matching.length - limit)} more
          </Button>
        </div>
      ) : null}
    </>
  );
}

interface FlagResultProps {
  readonly flag: PlaygroundFlag;
  readonly input: PlaygroundInput;
}

function FlagResult({ flag, input: { environments, context } }: FlagResultProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const results = resultsOf(flag, environments);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      <tr>
        <th scope="row" className="playground-flag">
          <button
            type="button"
            className="playground-toggle"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon aria-hidden />
            {flag.name}
          </button>
        </th>
        {results.map((result) => (
          <td key={result.environment}>
            <ResultCell result={result} />
          </td>
        ))}
      </tr>
      {isOpen ? (
        <tr id={id}>
          <td colSpan={environments.length + 1}>
            <FlagDetails flag={flag} environments={environments} context={context} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function ResultCell({ result: { outcomes } }: { readonly result: EnvironmentResult }) {
  if (outcomes.length === 0) return <span className="muted">not in this environment</span>;
  const counts = countOutcomes(outcomes);
  return (
    <span className="row">
      {counts.map(({ outcome, count }) => (
        <OutcomeBadge
          key={`${outcome.state} ${outcome.variant ?? ""}`}
          outcome={outcome}
          {...(counts.length > 1 && { share: { count, total: outcomes.length } })}
        />
      ))}
    </span>
  );
}

/** The maximum number of combinations that are explained. */
const MAX_EXPLAINED = 20;

interface FlagDetailsProps {
  readonly flag: PlaygroundFlag;
  readonly environments: readonly string[];
  readonly context: PlaygroundInput["context"];
}

function FlagDetails({ flag, environments, context }: FlagDetailsProps) {
  const varied = variedFields(context);
  return (
    <div className="playground-details">
      <div className="playground-explanations">
        {environments.map((environment) => {
          const evaluations = ownValue(flag.environments, environment) ?? [];
          return (
            <section key={environment} aria-label={environment}>
              <h2>{environment}</h2>
              {evaluations.slice(0, MAX_EXPLAINED).map((evaluation) => {
                const combination = describeCombination(evaluation.context, varied);
                return (
                  <Fragment key={combination}>
                    {combination === "" ? null : <h3>{combination}</h3>}
                    <Explanation evaluation={evaluation} />
                  </Fragment>
                );
              })}
              {evaluations.length > MAX_EXPLAINED ? (
                <p className="muted">
                  and {formatCount(evaluations.length - MAX_EXPLAINED)} more combinations. Fill in
                  fewer values to see their explanations.
                </p>
              ) : null}
            </section>
          );
        })}
      </div>
      <Link
        to="/projects/$project/flags/$flag"
        params={{ project: flag.projectId, flag: flag.name }}
      >
        Open the flag
      </Link>
    </div>
  );
}
