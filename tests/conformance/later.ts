/** Cases that are not replayed yet, and what they wait for. Every other one has to pass. */
export const LATER: Readonly<Record<string, string>> = {
  "aggregate-request": "results get their trajectory (ng_trajectory) once it is built",
  "health-after-run": "results get their trajectory (ng_trajectory) once it is built",
};
