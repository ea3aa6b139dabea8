/** Lets the browser save something as a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser may still be reading.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function downloadText(name: string, text: string, type = 'application/json'): void {
  download(name, new Blob([text], { type }));
}
