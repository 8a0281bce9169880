/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function readLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast of two colors (WCAG 2.2), from 1 to 21. */
export function readContrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [readLuminance(one), readLuminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}
