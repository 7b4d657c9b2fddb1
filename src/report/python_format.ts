/** Numbers in the forms of Python's format strings. */

/** `:.4f` with `places` 4: a tie goes to the even digit, where JavaScript's goes up. */
export function fixed(n: number, places: number): string {
  if (!Number.isFinite(n)) return Number.isNaN(n) ? "nan" : n < 0 ? "-inf" : "inf";
  const text = Math.abs(n).toFixed(places), sign = n < 0 || Object.is(n, -0) ? "-" : "";
  const exact = Math.abs(n).toFixed(Math.min(100, places + 60)),
    rest = exact.slice(exact.indexOf(".") + 1 + places);
  const isTie = /^50*$/.test(rest), isOdd = Number(text.at(-1)) % 2 === 1;
  if (!isTie || !isOdd) return sign + text;
  return sign + exact.slice(0, exact.length - rest.length).replace(/\.$/, "");
}

/** `:+.4f`. */
export function signedFixed(n: number, places: number): string {
  const text = fixed(n, places);
  return text.startsWith("-") ? text : `+${text}`;
}

/** `:g`: six digits at most, without zeros at the end. */
export function general(n: number): string {
  if (n === 0 || !Number.isFinite(n)) return Object.is(n, -0) ? "-0" : fixed(n, 0);
  const [mantissa = "", exponentText = "0"] = n.toExponential(5).split("e"), exponent = Number(exponentText);
  const short = (text: string) => text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  if (exponent < -4 || exponent >= 6) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${short(mantissa)}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  return short(n.toFixed(5 - exponent));
}
