import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { Usage } from "../api/types.ts";
import { USAGE_FIELDS } from "../app/list-fields.ts";
import { Empty } from "../ui/empty.tsx";
import { describeCount } from "../ui/numbers.ts";
import { FilterSelect, Select } from "../ui/select.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Switch } from "../ui/switch.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { type Division, EnvironmentUsage } from "../usage/environment-usage.tsx";
import {
  applicationsOf,
  environmentsOf,
  parsePeriod,
  type Period,
  periodsOf,
  toBars,
  type UsageKept,
} from "../usage/usage-series.ts";
import "../usage/usage.css";

/** How often applications evaluated a flag, and with which result. */
export function UsageTab({ flag }: { readonly flag: string }) {
  const [{ period: id }, change] = useListState(USAGE_FIELDS);
  const period = parsePeriod(id);
  const usage = useQuery(queries.usage(flag, period));
  return (
    <Loaded query={usage}>
      {({ data, hoursKept, daysKept }) => (
        <UsageCharts
          key={flag}
          usage={data}
          readAtMs={usage.dataUpdatedAt}
          kept={{ hoursKept, daysKept }}
          period={period}
          onPeriod={(chosen) => change({ period: chosen })}
        />
      )}
    </Loaded>
  );
}

interface UsageChartsProps {
  readonly usage: readonly Usage[];
  readonly readAtMs: number;
  readonly kept: UsageKept;
  readonly period: Period;
  readonly onPeriod: (id: string) => void;
}

const DIVISIONS = [
  { id: "result", label: "On and off" },
  { id: "variant", label: "Variants" },
  { id: "application", label: "Applications" },
] as const;

function UsageCharts({ usage, readAtMs, kept, period, onPeriod }: UsageChartsProps) {
  const [application, setApplication] = useState("");
  const [division, setDivision] = useState<Division>("result");
  const [isTable, setTable] = useState(false);
  const applications = applicationsOf(usage);
  const hasVariants = usage.some(({ variants }) => variants !== undefined);
  const shownDivision = division === "variant" && !hasVariants ? "result" : division;
  const isKnown = applications.includes(application);
  const filter = { application: isKnown ? application : undefined };

  return (
    <div className="usage">
      <div className="usage-filters">
        <Select label="Time" choices={periodsOf(kept)} value={period.id} onChange={onPeriod} />
        <FilterSelect
          label="Application"
          all="All applications"
          choices={applications.map((id) => ({ id, label: id }))}
          value={isKnown ? application : ""}
          onChange={setApplication}
          isDisabled={applications.length === 0}
        />
        {usage.length === 0 ? null : (
          <>
            <Select
              label="Group by"
              choices={hasVariants ? DIVISIONS : DIVISIONS.filter(({ id }) => id !== "variant")}
              value={shownDivision}
              onChange={setDivision}
            />
            <Switch label="As a table" isSelected={isTable} onChange={setTable} />
          </>
        )}
      </div>
      {usage.length === 0 ? (
        <Empty title={`No application evaluated this flag in the last ${period.label}`}>
          <p>
            SDKs and proxies report how often they evaluated a flag about once a minute. The chart
            appears after the first report.
          </p>
        </Empty>
      ) : (
        environmentsOf(usage).map((environment) => (
          <EnvironmentUsage
            key={environment}
            environment={environment}
            bars={toBars(usage, { environment, ...filter }, { period, nowMs: readAtMs })}
            division={shownDivision}
            isTable={isTable}
          />
        ))
      )}
      <p className="muted usage-kept">
        Usage is kept by hour for {describeSpan(kept.hoursKept)}, and by day for{" "}
        {describeCount(kept.daysKept, "day")}.
      </p>
    </div>
  );
}

/** Whole days are easier to read from two days on. */
function describeSpan(hours: number): string {
  return hours > 48 && hours % 24 === 0
    ? describeCount(hours / 24, "day")
    : describeCount(hours, "hour");
}
