/*
 * What languages write when a program puts an object where a text belongs: nobody made JSON of it, or took the member
 * that was meant. A promise has no value yet, so it is told apart.
 */

/** `[object Promise]`, a coroutine or task of Python, a task of .NET, a future of Java. */
export const promiseText =
  /^(?:\[object Promise\]|<coroutine object .*>|<(?:Task|Future) .*>|System\.Threading\.Tasks\.Task\b.*|[\w.$]*Future@.*)$/;

/** `[object Map]`, an object, function or answer of Python, a collection of .NET, an object of Java. */
export const objectText =
  /^(?:\[object \w+\]|<.{1,100} at 0x[\da-f]+>|<Response \[\d+\]>|System\.[\w.]+(?:`\d\[.*\])?|(?:[\w$]+\.)+[\w$]+@[\da-f]{1,8})$/i;
