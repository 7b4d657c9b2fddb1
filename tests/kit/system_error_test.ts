import assert from "node:assert/strict";
import { isSystemError, systemPlace, systemReason } from "../../src/kit/system_error.ts";
import { RunFault, UsageFault } from "../../src/kit/fault.ts";

const coded = (code: string, message = "m") => Object.assign(new Error(message), { code });

Deno.test("isSystemError() distinguishes the system's errors from rollcall's own faults", () => {
  for (
    const error of [
      new Deno.errors.NotFound("m"),
      new Deno.errors.NotCapable("m"),
      new Deno.errors.IsADirectory("m"),
      coded("ENOSPC"),
      coded("EIO"),
      new Error("Input/output error (os error 5)"),
    ]
  ) assert.ok(isSystemError(error), String(error));
  for (
    const error of [
      new TypeError("x is not a function"),
      new RangeError("Invalid array length"),
      coded("ERR_INVALID_ARG_TYPE"),
      new UsageFault("m"),
      new RunFault("m"),
      "ENOENT",
      undefined,
    ]
  ) assert.ok(!isSystemError(error), String(error));
});

Deno.test("systemReason() and systemPlace() say what and where, without the runtime's flags", () => {
  for (
    const [message, reason, place] of [
      ["Is a directory (os error 21): readfile '/tmp'", "Is a directory", " (/tmp)"],
      ["Permission denied (os error 13), open 'it''s'", "Permission denied", " (it''s)"],
      ["No space left on device (os error 28)", "No space left on device", ""],
      ["The lock has gone.", "The lock has gone", ""],
      [
        'Requires all access to "/proc/1/mem", run again with the --allow-all flag',
        "no permission for it (all access)",
        " (/proc/1/mem)",
      ],
      [
        'Requires read access to "/a b", specify the required permissions during compilation using `deno compile --allow-read`',
        "no permission for it (read access)",
        " (/a b)",
      ],
    ] as const
  ) {
    const error = new Error(message);
    assert.deepEqual([systemReason(error), systemPlace(error)], [reason, place]);
  }
});
