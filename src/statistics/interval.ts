/** The 95 % confidence interval of a mean: mean ± t · standard error, with Student's t. */
import { t95 } from "./student.ts";

/** @param degrees of freedom, a whole number, 1 or more */
export function interval95(mean: number, error: number, degrees: number): [low: number, high: number] {
  const reach = error === 0 ? 0 : t95(degrees) * error;
  return [mean - reach, mean + reach];
}
