// mcs takes no asynchronous Main.
internal static class Entry
{
    private static void Main() { Walk.Main().GetAwaiter().GetResult(); }
}
