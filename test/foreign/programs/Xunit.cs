// The little of xUnit that the example uses, and what runs it: no registry of the tests has xUnit.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading.Tasks;

namespace Xunit
{
    public interface IClassFixture<T> { }

    public sealed class FactAttribute : Attribute { }

    public static class Assert
    {
        public static void Equal<T>(T expected, T actual)
        {
            if (!EqualityComparer<T>.Default.Equals(expected, actual)) throw new Exception($"{actual}, not {expected}");
        }

        public static async Task<T> ThrowsAsync<T>(Func<Task> code) where T : Exception
        {
            try { await code(); }
            catch (T thrown) { return thrown; }
            throw new Exception($"no {typeof(T).Name}");
        }
    }
}

internal static class Entry
{
    private static void Main()
    {
        using (var lplate = new LPlate())
        {
            foreach (var test in typeof(PoliciesTests).GetMethods())
            {
                if (test.GetCustomAttribute<Xunit.FactAttribute>() == null) continue;
                ((Task)test.Invoke(new PoliciesTests(lplate), null)).GetAwaiter().GetResult();
                Console.WriteLine($"passed {test.Name}");
            }
        }
        Console.WriteLine("disposed");
    }
}
