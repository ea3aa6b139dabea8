export const bundledSdk: string;
export function bundleSdk(): Promise<{ readonly text: string; readonly inputs: readonly string[] }>;
