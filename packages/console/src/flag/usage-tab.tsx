import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { Usage } from "../api/types.ts";
import { Empty } from "../ui/empty.tsx";
import { describeCount } from "../ui/numbers.ts";
import { FilterSelect, Select } from "../ui/select.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Switch } from "../ui/switch.tsx";
import { type Division, EnvironmentUsage } from "../usage/environment-usage.tsx";
import {
  applicationsOf,
  environmentsOf,
  type Period,
  PERIODS,
  toBars,
} from "../usage/usage-series.ts";
import "../usage/usage.css";

/** How often applications evaluated a flag, and with which result. */
export function UsageTab({ flag }: { readonly flag: string }) {
  const [period, setPeriod] = useState<Period>(PERIODS[0]);
  const usage = useQuery(queries.usage(flag, period.hours));
  return (
    <Loaded query={usage}>
      {({ data, hoursKept }) => (
        <UsageCharts
          key={flag}
          usage={data}
          readAtMs={usage.dataUpdatedAt}
          hoursKept={hoursKept}
          period={period}
          onPeriod={setPeriod}
        />
      )}
    </Loaded>
  );
}

interface UsageChartsProps {
  readonly usage: readonly Usage[];
  readonly readAtMs: number;
  readonly hoursKept: number;
  readonly period: Period;
  readonly onPeriod: (period: Period) => void;
}

function UsageCharts({ usage, readAtMs, hoursKept, period, onPeriod }: UsageChartsProps) {
  const [application, setApplication] = useState("");
  const [division, setDivision] = useState<Division>("result");
  const [isTable, setTable] = useState(false);
  const periods = PERIODS.filter(({ hours }) => hours <= hoursKept);
  const applications = applicationsOf(usage);
  const hasVariants = usage.some(({ variants }) => variants !== undefined);
  const isKnown = applications.includes(application);
  const filter = { application: isKnown ? application : undefined };

  return (
    <div className="usage">
      <div className="usage-filters">
        <Select
          label="Time"
          choices={periods.map(({ hours, label }) => ({ id: String(hours), label }))}
          value={String(period.hours)}
          onChange={(id) => onPeriod(periods.find(({ hours }) => String(hours) === id) ?? period)}
        />
        <FilterSelect
          label="Application"
          all="All applications"
          choices={applications.map((id) => ({ id, label: id }))}
          value={isKnown ? application : ""}
          onChange={setApplication}
          isDisabled={applications.length === 0}
        />
        {hasVariants ? (
          <Select
            label="Group by"
            choices={[
              { id: "result", label: "On and off" },
              { id: "variant", label: "Variants" },
            ]}
            value={division}
            onChange={setDivision}
          />
        ) : null}
        {usage.length === 0 ? null : (
          <Switch label="As a table" isSelected={isTable} onChange={setTable} />
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
            division={hasVariants ? division : "result"}
            isTable={isTable}
          />
        ))
      )}
      {periods.length < PERIODS.length ? (
        <p className="muted">
          The service keeps usage for {describeCount(hoursKept, "hour")}. To change this, set
          USAGE_RETENTION_HOURS.
        </p>
      ) : null}
    </div>
  );
}
