import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { type ListFields, type ListState, readListSearch, toListSearch } from "./list-search.ts";

/**
 * The state of a list in the address of the page, so that it survives "back" and reloading, and can be shared.
 * Returns the state and a function that changes some of its fields.
 *
 * @param fields the same ones as those of the route, which must not change
 */
export function useListState<const Fields extends ListFields>(fields: Fields) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { history, options } = useRouter();
  // NOTE: a copy, because the router updates its state later, and characters that are typed meanwhile would be lost.
  const [state, setState] = useState(() => readListSearch(fields, search));
  useEffect(() => {
    const { pathname } = history.location;
    return history.subscribe(({ location, action }) => {
      // Every change of this hook replaces the address; anything else is another address, perhaps of another page.
      if (action.type === "REPLACE" || location.pathname !== pathname) return;
      setState(readListSearch(fields, options.parseSearch?.(location.search) ?? {}));
    });
  }, [fields, history, options]);
  const change = useCallback(
    (changed: Partial<ListState<Fields>>) => {
      const next = { ...state, ...changed };
      setState(next);
      void navigate({
        to: ".",
        search: (current: object) => ({ ...current, ...toListSearch(fields, next) }),
        replace: true,
        resetScroll: false,
      });
    },
    [fields, navigate, state],
  );
  return [state, change] as const;
}
