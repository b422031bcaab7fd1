// SPDX-License-Identifier: MIT
/** Counts its methods' calls. */
public final class Shop {
	private static int costs;
	private static int orders;
	private static int refusals;

	static final class Refused extends RuntimeException {
		private static final long serialVersionUID = 1;
	}

	static int costOf(int item) {
		int cost = 0;

		costs++;
		for (int i = 0; i < 50; i++)
			cost = (cost * 31 + item + i) % 10007;
		return cost;
	}

	static void refuse() {
		refusals++;
		throw new Refused();
	}

	static int order(int number) {
		int sum = 0;

		orders++;
		for (int item = 0; item < 4; item++)
			sum += costOf(item + number);
		try {
			if (number % 7 == 0)
				refuse();
		} catch (Refused refused) {
			sum--;
		}
		return sum;
	}

	static int serve(int orders) {
		int sum = 0;

		for (int number = 0; number < orders; number++)
			sum += order(number);
		return sum;
	}

	// The VM patches a method's code when it first runs. The recorder needs
	// time to copy what results, which it has unless there is an argument.
	// Prints the number of calls before that pause, and of all.
	public static void main(String[] arguments) throws Exception {
		int sum = serve(8);
		int[] first = { costs, orders, refusals };

		if (arguments.length == 0)
			Thread.sleep(1000);
		sum += serve(500);
		System.out.println("int Shop.costOf(int) " + first[0] + " " + costs);
		System.out.println("int Shop.order(int) " + first[1] + " " + orders);
		System.out.println("void Shop.refuse() " + first[2] + " " + refusals);
		System.exit(sum == 0 ? 1 : 0);
	}
}
