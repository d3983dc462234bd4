//! Laws of the algebra, on random layouts.

use mytriton_layout::LinearLayout;
use mytriton_layout::parser::Parser;
use proptest::prelude::*;

const INS: [&str; 3] = ["register", "lane", "warp"];

/// A layout from three inputs to the named outputs of the given sizes.
fn to_outs(outs: Vec<(&'static str, u32)>) -> impl Strategy<Value = LinearLayout> {
    let sizes: Vec<u32> = outs.iter().map(|o| o.1).collect();
    let basis = sizes.into_iter().map(|size| 0..size).collect::<Vec<_>>();
    let bases = prop::collection::vec(basis, 0..4);
    prop::array::uniform3(bases).prop_map(move |bases| {
        LinearLayout::from_bases(INS.into_iter().zip(bases), &outs).expect("coordinates are in range")
    })
}

fn tile_layout() -> impl Strategy<Value = LinearLayout> {
    to_outs(vec![("dim0", 8), ("dim1", 4)])
}

/// A layout from `dim0` (8), `dim1` (4) to outputs `p` (4), `q` (8).
fn onward(ins: [&'static str; 2], outs: [&'static str; 2]) -> impl Strategy<Value = LinearLayout> {
    let basis = || (0u32..4, 0u32..8).prop_map(|(p, q)| [p, q]);
    (prop::collection::vec(basis(), 3), prop::collection::vec(basis(), 2)).prop_map(move |(a, b)| {
        LinearLayout::from_bases(ins.into_iter().zip([a, b]), &[(outs[0], 4), (outs[1], 8)]).expect("in range")
    })
}

/// A bijection of 2^5 indices: a product of elementary row operations.
fn bijection() -> impl Strategy<Value = LinearLayout> {
    prop::collection::vec((0usize..5, 0usize..5), 0..30).prop_map(|steps| {
        let mut bases = [1u32, 2, 4, 8, 16];
        for (to, from) in steps {
            if to != from {
                bases[to] ^= bases[from];
            }
        }
        let ins = [("register", &bases[..2]), ("lane", &bases[2..])];
        let ins = ins.map(|(name, part)| (name, part.iter().map(|b| [b & 7, b >> 3]).collect::<Vec<_>>()));
        LinearLayout::from_bases(ins, &[("dim0", 8), ("dim1", 4)]).expect("in range")
    })
}

fn every_index(l: &LinearLayout) -> std::ops::Range<u64> {
    0..1 << l.total_in_bits()
}

proptest! {
    #[test]
    fn linear(l in tile_layout(), a in any::<u64>(), b in any::<u64>()) {
        prop_assert_eq!(l.apply_flat(a ^ b), l.apply_flat(a) ^ l.apply_flat(b));
        prop_assert_eq!(l.apply_flat(0), 0);
    }

    #[test]
    fn composition_applies_one_after_the_other(l in tile_layout(), m in onward(["dim0", "dim1"], ["p", "q"])) {
        let both = l.compose(&m).unwrap();
        for i in every_index(&l) {
            let middle = l.unflatten_out(l.apply_flat(i));
            prop_assert_eq!(both.unflatten_out(both.apply_flat(i)), m.apply_in_order(&middle));
        }
    }

    #[test]
    fn composition_is_associative(
        l in tile_layout(),
        m in onward(["dim0", "dim1"], ["b", "a"]),
        n in onward(["a", "b"], ["p", "q"]),
    ) {
        let left = l.compose(&m).unwrap().compose(&n).unwrap();
        let right = l.compose(&m.compose(&n).unwrap()).unwrap();
        prop_assert_eq!(left, right);
    }

    #[test]
    fn identities_change_nothing(l in tile_layout()) {
        let id = LinearLayout::identity1d(8, "dim0", "dim0").unwrap()
            .product(&LinearLayout::identity1d(4, "dim1", "dim1").unwrap()).unwrap();
        prop_assert_eq!(l.compose(&id).unwrap(), l.clone());
        prop_assert_eq!(l.product(&LinearLayout::empty()).unwrap(), l.clone());
        prop_assert_eq!(LinearLayout::empty().product(&l).unwrap(), l);
    }

    #[test]
    fn product_is_associative(a in tile_layout(), b in tile_layout(), c in tile_layout()) {
        let left = a.product(&b).unwrap().product(&c).unwrap();
        prop_assert_eq!(left, a.product(&b.product(&c).unwrap()).unwrap());
    }

    #[test]
    fn inverse_is_two_sided(l in bijection()) {
        prop_assert!(l.is_invertible());
        let back = l.pseudo_invert().unwrap();
        for i in every_index(&l) {
            prop_assert_eq!(back.apply_flat(l.apply_flat(i)), i);
            prop_assert_eq!(l.apply_flat(back.apply_flat(i)), i);
        }
        prop_assert_eq!(back.pseudo_invert().unwrap(), l);
    }

    #[test]
    fn pseudo_inverse_is_a_right_inverse(l in tile_layout()) {
        match l.pseudo_invert() {
            Ok(back) => {
                prop_assert!(l.is_surjective());
                for c in 0..32 {
                    prop_assert_eq!(l.apply_flat(back.apply_flat(c)), c);
                }
            }
            Err(_) => prop_assert!(!l.is_surjective()),
        }
    }

    #[test]
    fn invert_and_compose_solves(r in tile_layout(), s in tile_layout()) {
        // The other order of outputs must not matter.
        let swapped = s.transpose_outs(&["dim1", "dim0"]).unwrap();
        match r.invert_and_compose(&swapped) {
            Ok(c) => {
                prop_assert!(c.compose(&swapped).unwrap().is_equivalent(&r));
                // Free inputs of `s` stay 0.
                for (dim, mask) in s.free_variable_masks() {
                    let part = c.sublayout(&INS, &[dim.as_str()]).unwrap();
                    for i in every_index(&part) {
                        prop_assert_eq!(part.apply_flat(i) & u64::from(mask), 0);
                    }
                }
            }
            Err(_) => {
                // Some coordinate of `r` is none of `s`.
                let image: Vec<u64> = every_index(&s).map(|i| s.apply_flat(i)).collect();
                prop_assert!(every_index(&r).any(|i| !image.contains(&r.apply_flat(i))));
            }
        }
    }

    #[test]
    fn rank_counts_coordinates(l in tile_layout()) {
        let mut image: Vec<u64> = every_index(&l).map(|i| l.apply_flat(i)).collect();
        image.sort_unstable();
        image.dedup();
        prop_assert_eq!(image.len(), 1 << l.rank());
        prop_assert_eq!(l.is_surjective(), image.len() == 32);
        prop_assert_eq!(l.is_invertible(), image.len() == 32 && l.total_in_bits() == 5);
        // One owner each where the free bits are 0.
        let free: Vec<u32> = l.free_variable_masks().map(|(_, mask)| mask).collect();
        let owners = every_index(&l).filter(|&i| l.unflatten_in(i).iter().zip(&free).all(|(i, m)| i & m == 0));
        let mut owned: Vec<u64> = owners.map(|i| l.apply_flat(i)).collect();
        owned.sort_unstable();
        prop_assert_eq!(owned, image);
    }

    #[test]
    fn text_round_trips(l in tile_layout(), m in onward(["dim0", "dim1"], ["p", "q"])) {
        prop_assert_eq!(l.to_string().parse::<LinearLayout>().unwrap(), l.clone());
        prop_assert_eq!(l.compose(&m).unwrap().to_string().parse::<LinearLayout>().unwrap(), l.compose(&m).unwrap());
    }

    #[test]
    fn shrinking_is_modulo(l in tile_layout()) {
        let small = l.shrink_out("dim0", 2).unwrap();
        for i in every_index(&l) {
            let (big, small) = (l.unflatten_out(l.apply_flat(i)), small.unflatten_out(small.apply_flat(i)));
            prop_assert_eq!(&small[..], [big[0] % 2, big[1]]);
        }
        prop_assert!(small.is_surjective() || !l.is_surjective());
    }
}

proptest! {
    #[test]
    fn rank_of_products_and_compositions(
        a in tile_layout(),
        b in tile_layout(),
        m in onward(["dim0", "dim1"], ["p", "q"]),
    ) {
        prop_assert_eq!(a.product(&b).unwrap().rank(), a.rank() + b.rank());
        let both = a.compose(&m).unwrap().rank();
        prop_assert!(both <= a.rank().min(m.rank()));
        // Sylvester's inequality.
        prop_assert!(both + m.total_in_bits() >= a.rank() + m.rank());
    }

    #[test]
    fn relabelling_keeps_the_flat_map(l in tile_layout()) {
        let outs = l.reshape_outs(&[("p", 2), ("q", 16)]).unwrap();
        let flat = l.flatten_outs("o").unwrap();
        for i in every_index(&l) {
            for relabelled in [&outs, &flat] {
                prop_assert_eq!(relabelled.apply_flat(i), l.apply_flat(i));
            }
        }
        prop_assert_eq!(outs.reshape_outs(&[("dim0", 8), ("dim1", 4)]).unwrap(), l.clone());
        // Whole dimensions change places, and back.
        let turned = l.transpose_ins(&["warp", "register", "lane"]).unwrap().transpose_outs(&["dim1", "dim0"]).unwrap();
        prop_assert!(turned.is_equivalent(&l));
        prop_assert_eq!(turned.transpose_ins(&INS).unwrap().transpose_outs(&["dim0", "dim1"]).unwrap(), l);
    }

    #[test]
    fn parts_map_as_the_whole(l in tile_layout()) {
        let outs = ["dim0", "dim1"];
        let (inner, outer) = (l.sublayout(&["register"], &outs).unwrap(), l.sublayout(&["lane", "warp"], &outs).unwrap());
        let (left, right) = (l.sublayout(&INS, &["dim0"]).unwrap(), l.sublayout(&INS, &["dim1"]).unwrap());
        for i in every_index(&l) {
            let index = l.unflatten_in(i);
            prop_assert_eq!(inner.apply_flat(index[0].into()) ^ outer.apply_flat(i >> l.in_bits("register")), l.apply_flat(i));
            let whole = l.unflatten_out(l.apply_flat(i));
            prop_assert_eq!([left.apply_flat(i), right.apply_flat(i)], [whole[0].into(), whole[1].into()]);
        }
        prop_assert_eq!(l.sublayout_is_zero(&INS, &["dim1"]), every_index(&l).all(|i| right.apply_flat(i) == 0));
        let unit = l.unsqueeze_in("block").unwrap().unsqueeze_out("dim2").unwrap();
        prop_assert!(unit.is_equivalent(&l));
        prop_assert_eq!(unit.sublayout(&INS, &outs).unwrap(), l);
    }

    /// Equivalence is equality of all sizes and of all coordinates, by name.
    #[test]
    fn equivalence_compares_sizes_and_bases(
        l in tile_layout(),
        turned: bool,
        unit in 0usize..3,
        changed in prop::option::of((0usize..12, 0u32..8, 0u32..4)),
        larger in prop::option::of(0usize..2),
    ) {
        let mut bases: Vec<Vec<[u32; 2]>> =
            INS.iter().map(|input| l.bases(input).map(|basis| [basis[0], basis[1]]).collect()).collect();
        if let Some((at, p, q)) = changed
            && let Some(basis) = bases.iter_mut().flatten().nth(at)
        {
            *basis = [p, q];
        }
        let sizes = [8 << u32::from(larger == Some(0)), 4 << u32::from(larger == Some(1))];
        let other = LinearLayout::from_bases(
            INS.into_iter().zip(bases),
            &[("dim0", sizes[0]), ("dim1", sizes[1])],
        ).unwrap();
        let same = larger.is_none() && every_index(&l).all(|i| l.apply_flat(i) == other.apply_flat(i));
        // Neither the order of dimensions nor those of size 1 matter.
        let other = if turned { other.transpose_outs(&["dim1", "dim0"]).unwrap() } else { other };
        let other = match unit {
            0 => other,
            1 => other.unsqueeze_in("block").unwrap(),
            _ => other.unsqueeze_out("dim2").unwrap(),
        };
        prop_assert_eq!(l.is_equivalent(&other), same);
        prop_assert_eq!(other.is_equivalent(&l), same);
    }

    /// An input or an output more makes another layout, also where it adds nothing to the coordinates.
    #[test]
    fn layouts_of_other_dimensions_are_not_equivalent(l in tile_layout()) {
        let wide = l.product(&LinearLayout::zeros1d(2, "block", "dim0", 1).unwrap()).unwrap();
        let tall = l.product(&LinearLayout::zeros1d(1, "lane", "dim2", 2).unwrap()).unwrap();
        for other in [wide, tall] {
            prop_assert!(!l.is_equivalent(&other) && !other.is_equivalent(&l));
        }
    }

    /// Every name and every basis of a text is found at its place.
    #[test]
    fn parts_of_a_text_have_places(l in tile_layout(), blanks in prop::collection::vec(0usize..3, 8)) {
        let mut text = " ".repeat(blanks[0]);
        for (i, c) in l.to_string().chars().enumerate() {
            let blank = " ".repeat(blanks[i % blanks.len()]);
            match c {
                '[' | ']' | '{' | '}' | ',' | '=' => text.extend([&blank[..], &c.to_string(), &blank]),
                _ => text.push(c),
            }
        }
        let after = " and more";
        let whole = format!("{text}{after}");
        let mut parser = Parser::new(&whole);
        let parsed = parser.layout().unwrap();
        prop_assert_eq!(whole[parser.at()..].trim_start(), "and more");
        for (input, (name, bases)) in parsed.ins.iter().zip(INS.map(|name| (name, l.bases(name)))) {
            prop_assert_eq!(&whole[input.place.clone()], name);
            for ((_, place), basis) in input.bases.iter().zip(bases) {
                let numbers: Vec<u32> = whole[place.clone()]
                    .strip_prefix('[').unwrap().strip_suffix(']').unwrap()
                    .split(',').map(|number| number.trim().parse().unwrap()).collect();
                prop_assert_eq!(&numbers[..], &basis[..]);
            }
        }
        prop_assert_eq!(parser.next_at(), whole.len() - "and more".len());
        prop_assert!(parser.end().is_err());
    }

    #[test]
    fn growing_is_undone_by_shrinking(l in tile_layout()) {
        let large = l.grow_out("dim1", 16, "lane").unwrap();
        prop_assert_eq!(large.rank(), l.rank() + 2);
        let small = large.shrink_out("dim1", 4).unwrap();
        for i in every_index(&l) {
            // New bits of `lane` are above its own, and below `warp`.
            let mut index = l.unflatten_in(i);
            prop_assert_eq!(small.apply_in_order(&index), l.unflatten_out(l.apply_flat(i)));
            index[1] += 3 * l.in_size("lane");
            prop_assert_eq!(small.apply_in_order(&index), l.unflatten_out(l.apply_flat(i)));
        }
    }

    #[test]
    fn dropping_zeros_keeps_the_image(l in tile_layout()) {
        let image = |l: &LinearLayout| {
            let mut all: Vec<u64> = every_index(l).map(|i| l.apply_flat(i)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let dense = l.remove_zero_bases("lane").unwrap();
        prop_assert!(dense.bases("lane").all(|basis| basis.iter().any(|&c| c != 0)));
        prop_assert_eq!(image(&dense), image(&l));
    }
}
