pub mod budget;
