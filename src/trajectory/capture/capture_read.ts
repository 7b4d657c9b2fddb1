/** What was found of a rollout's capture. */

/** Plain data: the folder was read, nothing of it is judged yet. */
export type CaptureRead =
  /** There are no files of that rollout. */
  | { readonly kind: "absent" }
  /** There is a capture, and it cannot be used. `why` is short, and names no path. */
  | { readonly kind: "unreadable"; readonly why: string }
  /** The records, a line each, blank ones left out. `incomplete`: the model server says that it lost some. */
  | { readonly kind: "read"; readonly lines: readonly Uint8Array[]; readonly incomplete: boolean };
